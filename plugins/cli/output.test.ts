import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { guardOutput } from './output.ts';

/** A stream that hands on when it is told to. */
function slowStream() {
  const waiting: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    release: () => {
      for (const done of waiting.splice(0)) done();
    },
  };
}

test('drained waits until everything that was written has been handed on', async () => {
  const { stream, release } = slowStream();
  const output = guardOutput([stream], () => {});
  stream.write('a');
  stream.write('b');
  let isDrained = false;
  const drained = output.drained().then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  for (let turn = 0; turn < 5; turn++) {
    release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await drained;
  output.dispose();
});

test('a reader that has gone is told once, and is no error', async () => {
  const { stream } = slowStream();
  let told = 0;
  const output = guardOutput([stream], () => {
    told += 1;
  });
  stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  stream.emit('error', Object.assign(new Error('gone'), { code: 'ERR_STREAM_DESTROYED' }));
  expect({ told, isBroken: output.isBroken }).toEqual({ told: 1, isBroken: true });
  output.dispose();
});

test('any other error of a stream ends the run and is told in words', () => {
  const { stream } = slowStream();
  let told = 0;
  const output = guardOutput([stream], () => {
    told += 1;
  });
  for (let times = 0; times < 2; times += 1)
    stream.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  expect({ told, isBroken: output.isBroken }).toEqual({ told: 1, isBroken: false });
  expect(output.failure).toContain('there is no room left');
  output.dispose();
});
