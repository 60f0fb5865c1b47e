import { expect, test } from 'vitest';
import { readShared, wantsJson } from './shared.ts';

test('shared options are read before and after words, and paths from where the person stands', () => {
  const read = readShared(
    ['--trust', 'tool', 'call', '--cwd', 'sub', '-e', 'a.ts', '--extension=b.ts', '--json'],
    '/here',
  );
  expect(read).toMatchObject({
    cwd: '/here/sub',
    hasCwd: true,
    trust: true,
    json: true,
    extensions: ['/here/a.ts', '/here/b.ts'],
    noExtensions: false,
    permissionMode: undefined,
  });
});

test('what follows -- is no option', () => {
  expect(readShared(['--', '--trust', '--json'], '/here')).toMatchObject({ trust: false, json: false, hasCwd: false });
  expect(wantsJson(['--', '--json'])).toBe(false);
});

test('--yolo is the permission mode all, and another mode beside it is refused', () => {
  expect(readShared(['--yolo'], '/').permissionMode).toBe('all');
  expect(readShared(['--yolo', '--permission-mode', 'all'], '/').permissionMode).toBe('all');
  expect(() => readShared(['--yolo', '--permission-mode', 'plan'], '/')).toThrow('say different things');
});

test('a permission mode that is none is refused with those that are', () => {
  expect(() => readShared(['--permission-mode', 'foo'], '/')).toThrow(/plan, ask, edits, all/);
});

test('an option without its value is refused by name', () => {
  expect(() => readShared(['--cwd'], '/')).toThrow('--cwd needs a value <dir>');
});

test('the last of an option that is given twice counts', () => {
  expect(readShared(['--cwd', 'a', '--cwd', 'b'], '/').cwd).toBe('/b');
});
