// Looks through a project again and again, each time from another folder of it, so that no answer is known already; the
// files are. Prints how long each look took, and what was found.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createKernel } from 'kern';
import { foundCapabilities } from 'kern/contracts';

const [, , home, root, ...folders] = process.argv;
const kern = await createKernel({ home, cwd: root, noExtensions: true });
const kinds = Object.values(foundCapabilities);

async function look(cwd) {
  const view = kern.kernel.view({ cwd });
  const from = performance.now();
  await Promise.all(kinds.map((kind) => view.use(kind).load()));
  const found = Object.fromEntries(kinds.map((kind) => [kind.id, view.use(kind).items().length]));
  return { ms: performance.now() - from, found };
}

/** The same files, with nothing made of them. */
async function bare() {
  const from = performance.now();
  const names = await readdir(root, { recursive: true });
  await Promise.all(
    names.map(async (name) => {
      const path = join(root, name);
      if ((await stat(path)).isFile()) await readFile(path, 'utf8');
    }),
  );
  return performance.now() - from;
}

const [first, ...others] = folders;
const { ms, found } = await look(first);
const again = [];
const bares = [];
for (const folder of others) {
  again.push((await look(folder)).ms);
  bares.push(await bare());
}
await kern.close();
process.stdout.write(JSON.stringify({ first: ms, again, bare: bares, found }));
