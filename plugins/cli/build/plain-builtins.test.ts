import { expect, test } from 'vitest';

const { plain }: { plain(code: string): string } = await import(new URL('plain-builtins.mjs', import.meta.url).href);

test('what is built asks for the parts of Node by name, and no line moves', () => {
  const code = [
    'import { a } from "./chunk.js";',
    'import path from "node:path";',
    'import { readFileSync, watch as watch$1 } from "node:fs";',
    'import { Hash, createHash, randomBytes as bytes } from "node:crypto";',
    'import { execFile } from "node:child_process";',
    'const text = `import fs from "node:fs";`;',
  ];
  expect(plain(code.join('\n')).split('\n')).toEqual([
    'import { a } from "./chunk.js";',
    'const path = process.getBuiltinModule("node:path");',
    'const { readFileSync, watch: watch$1 } = process.getBuiltinModule("node:fs");',
    'const { Hash } = process.getBuiltinModule("node:crypto"); const createHash = (...args) => process.getBuiltinModule("node:crypto").createHash(...args); const bytes = (...args) => process.getBuiltinModule("node:crypto").randomBytes(...args);',
    'const { execFile } = process.getBuiltinModule("node:child_process");',
    'const text = `import fs from "node:fs";`;',
  ]);
});
