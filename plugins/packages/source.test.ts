import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portable, sourceOf } from './source.ts';

let base = '';
beforeAll(() => {
  base = mkdtempSync(path.join(tmpdir(), 'kern-source-'));
  mkdirSync(path.join(base, 'weather'));
  writeFileSync(path.join(base, 'it-1.0.0.tgz'), '');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.each([
  ['npm:weather', { kind: 'npm', name: 'weather', range: 'latest' }],
  ['npm:@some/weather@^1.2', { kind: 'npm', name: '@some/weather', range: '^1.2' }],
  ['npm:weather@next', { kind: 'npm', name: 'weather', range: 'next' }],
  ['git:https://github.com/a/b', { kind: 'git', url: 'https://github.com/a/b', ref: undefined }],
  ['git:https://github.com/a/b@v1.0', { kind: 'git', url: 'https://github.com/a/b', ref: 'v1.0' }],
  ['git:https://me@github.com/a/b.git', { kind: 'git', url: 'https://me@github.com/a/b.git', ref: undefined }],
  ['git:git@github.com:a/b@v1', { kind: 'git', url: 'git@github.com:a/b', ref: 'v1' }],
  ['git+ssh://git@host/a/b#feature/x', { kind: 'git', url: 'ssh://git@host/a/b', ref: 'feature/x' }],
  ['https://github.com/a/b', { kind: 'git', url: 'https://github.com/a/b', ref: undefined }],
  ['https://example.com/a.git#v2', { kind: 'git', url: 'https://example.com/a.git', ref: 'v2' }],
  ['https://example.com/it-1.0.0.tgz', { kind: 'tarball', at: 'https://example.com/it-1.0.0.tgz' }],
])('%s is told apart', (text, source) => {
  expect(sourceOf(text, base, '/home/me')).toMatchObject({ text, ...source });
});

test('paths are told from the folder, and kept so that a clone has them too', () => {
  const folder = sourceOf('./weather', base, '/home/me');
  expect(folder).toMatchObject({ kind: 'folder', folder: path.join(base, 'weather') });
  expect(portable(folder, base)).toBe('./weather');
  const file = sourceOf('it-1.0.0.tgz', base, '/home/me');
  expect(file).toMatchObject({ kind: 'tarball', at: path.join(base, 'it-1.0.0.tgz') });
  expect(portable(file, path.join(base, 'weather'))).toBe(path.join(base, 'it-1.0.0.tgz'));
});

test.each([
  'weather',
  'npm:',
  'npm:../up',
  'npm:a@file:../b',
  'npm:a@https://evil.example/x.tgz',
  'npm:-g',
  'git:ext::sh -c touch% mark',
  'git:--upload-pack=touch',
  'git:file:///etc',
  'git:http://example.com/a',
  'git:https://-x/a@--upload-pack=touch',
  'http://example.com/it-1.0.0.tgz',
  'https://example.com/something',
  './nowhere',
  'ftp://example.com/a',
])('%s is no source', (text) => {
  expect(() => sourceOf(text, base, '/home/me')).toThrow();
});
