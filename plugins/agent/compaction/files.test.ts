import { expect, test } from 'vitest';
import { collectFiles, noFiles } from './files.ts';
import { calling, result } from './test/desk.ts';

test('files are told by the details of results, else by the arguments of their calls', () => {
  const files = collectFiles(noFiles, [
    calling('c1', 'read', { path: 'a.ts' }),
    result('c1', 'read', 'text', { details: { path: '/w/a.ts' } }),
    calling('c2', 'read', { path: '/w/old.ts' }),
    result('c2', 'read', 'text'),
    calling('c3', 'write', { path: 'b.ts' }),
    result('c3', 'write', 'ok', { details: { path: '/w/b.ts' } }),
    calling('c4', 'edit', {}),
    result('c4', 'edit', 'ok', { details: { files: [{ path: '/w/c.ts' }, { path: '/w/d.ts' }] } }),
    calling('c5', 'strangers-edit', { path: '/w/e.ts' }),
    result('c5', 'strangers-edit', 'ok', { details: { diff: '-a', path: '/w/e.ts' } }),
  ]);
  expect(files).toEqual({
    read: ['/w/a.ts', '/w/old.ts'],
    changed: ['/w/b.ts', '/w/c.ts', '/w/d.ts', '/w/e.ts'],
  });
});

test('folders, failures, previews and what only looks are no files; what is applied later is', () => {
  const files = collectFiles({ read: ['/w/a.ts'], changed: [] }, [
    calling('c1', 'read', { path: '/w' }),
    result('c1', 'read', '', { details: { path: '/w', kind: 'folder' } }),
    calling('c2', 'read', { path: '/gone' }),
    result('c2', 'read', 'no', { isError: true }),
    calling('c3', 'edit', { path: '/w/p.ts' }),
    result('c3', 'edit', 'would', { details: { path: '/w/p.ts', diff: '', pending: 'p1' } }),
    calling('c4', 'grep', { path: '/w/g.ts' }),
    result('c4', 'grep', 'hit'),
    calling('c5', 'resolve', {}),
    result('c5', 'resolve', 'done', {
      details: {
        changes: [
          { ok: true, details: { path: '/w/a.ts' } },
          { ok: false, details: { path: '/w/q.ts' } },
        ],
      },
    }),
  ]);
  expect(files).toEqual({ read: [], changed: ['/w/a.ts'] });
});
