// How much heap a reload leaves behind: `node --expose-gc heap.ts <extension> <count>`, one JSON line.
import { workbench } from './workbench.ts';

const [extension = 'ts', count = '60'] = process.argv.slice(2);
const collect = (globalThis as { gc?: () => void }).gc ?? ((): void => {});

/** A plugin of some size, so that code which stays shows. */
function source(revision: number): string {
  const filler = Array.from({ length: 200 }, (_, i) => `function f${i}(a) { return a + '${revision}/${i}'; }`).join(
    '\n',
  );
  const end = `{ id: 'heap', setup: () => [${Array.from({ length: 200 }, (_, i) => `f${i}('x')`)}] }`;
  if (extension === 'cjs') return `const helper = require('./helper.cjs');\n${filler}\nmodule.exports = ${end};\n`;
  return `import { helper } from './helper.${extension}';\nimport { z } from 'zod';\n${filler}\nexport { helper, z };\nexport default ${end};\n`;
}

async function settled(): Promise<number> {
  for (let i = 0; i < 5; i += 1) {
    await new Promise((done) => setTimeout(done, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

using bench = workbench();
bench.write(`helper.${extension}`, extension === 'cjs' ? `exports.helper = 1;\n` : `export const helper = 1;\n`);
const reload = async (revision: number): Promise<void> => {
  bench.write(`entry.${extension}`, source(revision));
  const { exports } = await bench.load(`entry.${extension}`);
  (exports as { setup(): unknown }).setup();
};
const warm = 10;
for (let revision = 0; revision < warm; revision += 1) await reload(revision);
const before = await settled();
for (let revision = warm; revision < warm + Number(count); revision += 1) await reload(revision);
const after = await settled();
console.log(
  JSON.stringify({
    extension,
    count: Number(count),
    perReload: Math.round((after - before) / Number(count)),
    sourceBytes: source(1).length,
  }),
);
