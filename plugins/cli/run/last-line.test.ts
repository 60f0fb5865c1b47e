import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { LastLine } from './last-line.ts';

test('only the last line goes through, however the lines were cut', async () => {
  const out = new PassThrough();
  const lines = new LastLine(out);
  for (const chunk of ['{"a":', '1}\n{"b"', ':2}\n', '\n', '{"c":3}', '\n']) lines.write(chunk);
  lines.print();
  out.end();
  expect(JSON.parse(await text(out))).toEqual({ c: 3 });
});

test('a last line without its end counts too', async () => {
  const out = new PassThrough();
  const lines = new LastLine(out);
  lines.write('{"a":1}\n{"b":2}');
  lines.print();
  out.end();
  expect(JSON.parse(await text(out))).toEqual({ b: 2 });
});
