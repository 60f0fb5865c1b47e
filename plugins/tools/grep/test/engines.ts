import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { resultText, searching, type ToolResult } from 'kern/contracts';
import { afterAll, beforeAll } from 'vitest';
import { plant, type Tree } from '../../search/test/tree.ts';
import { bootTools, type ToolKernel } from '../../test/kernel.ts';
import type { GrepArguments, GrepDetails } from '../run-grep.ts';

/** What grep can search with here: the ripgrep of the packages, the one of the system where there is one, none. */
export async function enginesHere(): Promise<readonly { readonly name: string; readonly rg: string | false }[]> {
  const inPath = await searching.findRipgrep();
  return [
    { name: 'ripgrep of the packages', rg: rgPath },
    ...(inPath === undefined || inPath === rgPath ? [] : [{ name: 'ripgrep of the system', rg: inPath }]),
    { name: 'built-in matcher', rg: false as const },
  ];
}

export interface Grep {
  readonly kernel: ToolKernel;
  /** Plants a tree in a folder of its own, and searches it. */
  grep(tree: Tree, args: GrepArguments | Record<string, unknown>): Promise<Grepped>;
  /** A folder of its own. */
  folder(tree: Tree): string;
}

export interface Grepped {
  /** What the model reads, without the name of the test's folder. */
  readonly text: string;
  readonly result: ToolResult<GrepDetails>;
}

/** The tool grep with one engine, for all tests of a file. */
export function grepWith(rg: string | false): Grep {
  let kernel: ToolKernel | undefined;
  let folders = 0;
  const booted = (): ToolKernel => {
    if (kernel === undefined) throw new Error('not booted yet');
    return kernel;
  };
  beforeAll(async () => {
    kernel = await bootTools(['tools.grep'], [], { config: { 'tools.grep': { rg } } });
  });
  afterAll(() => kernel?.[Symbol.asyncDispose]());
  const folder = (tree: Tree): string => {
    folders += 1;
    const made = join(booted().dir, `t${folders}`);
    mkdirSync(made);
    plant(made, tree);
    return made;
  };
  return {
    get kernel() {
      return booted();
    },
    folder,
    async grep(tree, args) {
      const made = folder(tree);
      const path = typeof args.path === 'string' ? join(made, args.path) : made;
      const result = (await booted().callTool('grep', { ...args, path })) as ToolResult<GrepDetails>;
      const name = made.slice(made.lastIndexOf('/') + 1);
      return { text: resultText(result).replaceAll(`${made}/`, '').replaceAll(`${name}/`, ''), result };
    },
  };
}
