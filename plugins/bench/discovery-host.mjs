// Looks through a project: in each round a kern of its own, which knows no file yet, looks twice, from two folders, so that
// the second answer is no answer that is known already. Prints how long each look took, and what was found.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createKernel } from 'kern';
import { foundCapabilities } from 'kern/contracts';

const [, , home, root, one, other, rounds] = process.argv;
const kinds = Object.values(foundCapabilities);

async function look(kern, cwd) {
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

const said = { first: [], again: [], bare: [], found: {} };
for (let nth = 0; nth <= Number(rounds); nth += 1) {
  const kern = await createKernel({ home, cwd: root, noExtensions: true });
  const { ms, found } = await look(kern, one);
  const again = await look(kern, other);
  const files = await bare();
  await kern.close();
  // The first round loads the code.
  if (nth === 0) continue;
  said.first.push(ms);
  said.again.push(again.ms);
  said.bare.push(files);
  said.found = found;
}
process.stdout.write(JSON.stringify(said));
