import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { attach, imageType, splitFiles, textOrFile } from './files.ts';
import { promptsOf } from './prompts.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kern-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
writeFileSync(path.join(folder, 'a.txt'), '\uFEFFone\ntwo');
writeFileSync(path.join(folder, 'shot.dat'), png);
writeFileSync(path.join(folder, 'blob'), Buffer.from([1, 0, 2]));
writeFileSync(path.join(folder, 'my notes.md'), 'notes\n');
mkdirSync(path.join(folder, 'src'));

test('a text file comes as it is, without its byte order mark', () => {
  expect(attach(['a.txt'], folder)).toEqual({ files: [{ path: 'a.txt', content: 'one\ntwo' }], images: [] });
});

test('an image is told by its first bytes, whatever its name', () => {
  const { files, images } = attach(['shot.dat'], folder);
  expect(images).toEqual([{ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }]);
  expect(files).toEqual([{ path: 'shot.dat', content: expect.stringContaining('an image') }]);
  expect(imageType(Buffer.from('GIF89a…'))).toBe('image/gif');
  expect(imageType(Buffer.from('ffd8ffe0', 'hex'))).toBe('image/jpeg');
  expect(imageType(Buffer.from('RIFF0000WEBP', 'latin1'))).toBe('image/webp');
  expect(imageType(Buffer.from('text'))).toBeUndefined();
});

test('what cannot go into a prompt is refused with the reason', () => {
  for (const [file, why] of [
    ['blob', 'neither text nor an image'],
    ['nope', 'is not there'],
    ['src', 'is a folder'],
    ['/dev/null', 'is not a plain file'],
  ] as const) {
    expect(() => attach([file], folder)).toThrow(
      expect.objectContaining({ code: 'file_unreadable', message: expect.stringContaining(why) }),
    );
  }
});

test('a sentence that begins with an @ is a message, a file with a space in its name is a file', () => {
  expect(splitFiles(['@a.txt', '@ada please look', '@my notes.md', '@', 'x'], folder)).toEqual({
    files: ['a.txt', 'my notes.md'],
    messages: ['@ada please look', '@', 'x'],
  });
});

test('plain words are one message', () => {
  expect(promptsOf(['fix', 'the', 'tests'], undefined, folder)).toEqual([{ text: 'fix the tests' }]);
});

test('quoted messages are sent one after the other', () => {
  expect(promptsOf(['fix the tests', 'then commit it'], undefined, folder)).toEqual([
    { text: 'fix the tests' },
    { text: 'then commit it' },
  ]);
});

test('what was piped in comes before the message, and files are kept beside it', () => {
  expect(promptsOf(['@a.txt', 'explain', 'this'], 'piped', folder)).toEqual([
    { text: 'piped\nexplain this', files: [{ path: 'a.txt', content: 'one\ntwo' }] },
  ]);
});

test('what was piped in, or a file, is a prompt by itself', () => {
  expect(promptsOf([], 'piped\n', folder)).toEqual([{ text: 'piped\n' }]);
  expect(promptsOf(['@shot.dat'], undefined, folder)).toEqual([
    expect.objectContaining({ text: 'Here is shot.dat.', images: [expect.anything()] }),
  ]);
  expect(promptsOf([' '], ' \n', folder)).toEqual([]);
});

test('an option that takes a text or a file takes the file where there is one', () => {
  expect(textOrFile('a.txt', folder)).toContain('two');
  expect(textOrFile('Be brief.', folder)).toBe('Be brief.');
  expect(textOrFile('src', folder)).toBe('src');
});
