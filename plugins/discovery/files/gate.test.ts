import { fakeClock } from 'kern/testing';
import { expect, test } from 'vitest';
import { Gate } from './gate.ts';

const never = (): Promise<never> => new Promise(() => {});

test('a call that stalls is given up after the limit, and the others go on', async () => {
  const clock = fakeClock();
  const gate = new Gate(clock, 1_000);
  const stalled = gate.run('look', '/net/a', never);
  const refused = expect(stalled).rejects.toMatchObject({ code: 'file_stalled' });
  expect(await gate.run('look', '/here', async () => 'here')).toBe('here');
  await clock.advance(1_000);
  await refused;
  expect(await gate.run('look', '/there', async () => 'there')).toBe('there');
});

test('what lies below a path that does not answer is not asked for, until it answers', async () => {
  const clock = fakeClock();
  const gate = new Gate(clock, 1_000);
  const late = Promise.withResolvers<string>();
  const stalled = gate.run('look', '/net', () => late.promise);
  const refused = expect(stalled).rejects.toMatchObject({ code: 'file_stalled' });
  await clock.advance(1_000);
  await refused;
  let asked = 0;
  const below = (): Promise<string> =>
    gate.run('look', '/net/skills/a', async () => {
      asked += 1;
      return 'a';
    });
  await expect(below()).rejects.toMatchObject({ code: 'file_stalled' });
  expect(asked).toBe(0);
  late.resolve('back');
  await new Promise(setImmediate);
  expect(await below()).toBe('a');
});

test('three drives that stall hold three threads, and whoever waits hears of it at once', async () => {
  const clock = fakeClock();
  const gate = new Gate(clock, 1_000);
  let started = 0;
  const stall = (): Promise<never> => {
    started += 1;
    return never();
  };
  const calls = ['/a', '/b', '/c', '/d', '/e'].map((path) => gate.run('look', path, stall));
  const refused = Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'file_stalled' })));
  await clock.advance(1_000);
  await refused;
  expect(started).toBe(3);
  await expect(gate.run('look', '/f', stall)).rejects.toMatchObject({ code: 'file_stalled' });
  expect(started).toBe(3);
});

test('the same question of the same path is asked once at a time, and no more than three at all', async () => {
  const gate = new Gate(fakeClock(), 1_000);
  let running = 0;
  let most = 0;
  let calls = 0;
  const work = async (): Promise<void> => {
    calls += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  };
  const paths = Array.from({ length: 40 }, (_, at) => `/${at % 20}`);
  await Promise.all(paths.map((path) => gate.run('look', path, work)));
  expect({ most, calls }).toEqual({ most: 3, calls: 20 });
});

test('an error of a call is its own, and frees its slot', async () => {
  const gate = new Gate(fakeClock(), 1_000);
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  const failing = Array.from({ length: 9 }, (_, at) => gate.run('look', `/${at}`, fail));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  expect(await gate.run('look', '/x', async () => 1)).toBe(1);
});
