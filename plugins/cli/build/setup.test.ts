import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** These are JavaScript, for the old Nodes that run them, so their types are said here. */
interface Stamps {
  isBuilt(root: string): boolean;
  sourceStamp(root: string): { readonly times: string; content(): string };
  stampFile(root: string): string;
}
const { isBuilt, sourceStamp, stampFile }: Stamps = await load('stamp.mjs');
const { isInstalled }: { isInstalled(root: string): boolean } = await load('install.mjs');

function load<T>(file: string): Promise<T> {
  return import(new URL(file, import.meta.url).href);
}

function folder(files: Record<string, unknown>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'kern-setup-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) write(root, file, content);
  return root;
}

function write(root: string, file: string, content: unknown): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

const lock = {
  packages: {
    '': { version: '1.0.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  },
};

test('packages count as installed when npm noted every version of the lock, but for those of other systems', () => {
  const installed = (packages: object) =>
    isInstalled(folder({ 'package-lock.json': lock, 'node_modules/.package-lock.json': { packages } }));
  expect(installed({ 'node_modules/a': { version: '1.0.0' } })).toBe(true);
  expect(installed({ 'node_modules/a': { version: '1.0.1' } })).toBe(false);
  expect(installed({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.1.0' } })).toBe(false);
  expect(installed({ 'node_modules/b': { version: '2.0.0' } })).toBe(false);
  expect(isInstalled(folder({ 'package-lock.json': lock }))).toBe(false);
});

test('a lock that changes after it was looked at is looked at again', () => {
  const packages = { 'node_modules/a': { version: '1.0.0' } };
  const root = folder({ 'package-lock.json': lock, 'node_modules/.package-lock.json': { packages } });
  expect([isInstalled(root), isInstalled(root)]).toEqual([true, true]);
  write(root, 'package-lock.json', { packages: { 'node_modules/a': { version: '1.1.0' } } });
  expect(isInstalled(root)).toBe(false);
});

test('dist is old when a source differs, not when it was only written again', () => {
  const root = folder({ 'kernel/a.ts': '1', 'plugins/x/b.ts': '2', 'plugins/x/b.test.ts': '3', 'package.json': '{}' });
  expect(isBuilt(root)).toBe(false);
  const built = (): void => {
    const { times, content } = sourceStamp(root);
    write(root, path.relative(root, stampFile(root)), { times, content: content() });
  };
  built();
  expect(isBuilt(root)).toBe(true);
  utimesSync(path.join(root, 'kernel/a.ts'), 1, 1);
  expect(isBuilt(root)).toBe(true);
  write(root, 'plugins/x/b.test.ts', 'changed');
  expect(isBuilt(root)).toBe(true);
  write(root, 'plugins/x/b.ts', 'changed');
  expect(isBuilt(root)).toBe(false);
  built();
  cpSync(path.join(root, 'kernel/a.ts'), path.join(root, 'kernel/new.ts'));
  expect(isBuilt(root)).toBe(false);
});
