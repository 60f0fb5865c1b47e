import assert from 'node:assert/strict';
import { LoadError } from '../load-error.ts';
import type { Workbench } from './workbench.ts';

/** What must hold in every way kern is run: under the test runner, and in plain Node from the sources. */
export type Scenario = (bench: Workbench) => Promise<void>;

/** A file that exports `value`, by its ending. */
export const helperOf: Readonly<Record<string, (value: string) => string>> = {
  ts: (value) => `export const value: string = '${value}';\n`,
  mts: (value) => `export const value: string = '${value}';\n`,
  js: (value) => `export const value = '${value}';\n`,
  mjs: (value) => `export const value = '${value}';\n`,
  cjs: (value) => `module.exports = { value: '${value}' };\n`,
  json: (value) => JSON.stringify({ value }),
};

export const moduleFolder = JSON.stringify({ name: 'plugin-under-test', type: 'module' });

/** The `value` of what a plugin exports. */
export function exported(loaded: { readonly exports: unknown }): unknown {
  return (loaded.exports as { value: unknown }).value;
}

export async function failure(promise: Promise<unknown>): Promise<LoadError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof LoadError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'it loaded, though it should not have' });
}
