import type { View } from 'kern/plugin';
import { expect, test } from 'vitest';
import { agentSchema, settingsOf, usualSettings } from './settings.ts';

const viewOf = (said: { value: unknown }): View => ({ setting: () => said.value }) as unknown as View;

test('where nobody says anything the defaults hold', () => {
  for (const value of [undefined, true, {}]) {
    const settings = settingsOf(viewOf({ value }))();
    expect(settings).toMatchObject({
      steeringMode: 'one-at-a-time',
      retry: { enabled: true, maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000, fallbackChains: {} },
      compaction: { enabled: true, strategy: 'summary', reserveTokens: 16_384, keepRecentTokens: 20_000 },
      title: { enabled: true },
    });
  }
});

test('the defaults are those of the schema', () => {
  expect(usualSettings).toEqual(agentSchema().parse({}));
});

test('an edited value counts at the next use, and what did not change is not read again', () => {
  const said = { value: { steeringMode: 'all' } as unknown };
  const settings = settingsOf(viewOf(said));
  expect(settings().steeringMode).toBe('all');
  expect(settings()).toBe(settings());
  said.value = { retry: { maxRetries: 7 } };
  expect(settings()).toMatchObject({ steeringMode: 'one-at-a-time', retry: { maxRetries: 7, baseDelayMs: 2_000 } });
});

test('a bad value costs only itself', () => {
  const value = {
    steeringMode: 'sometimes',
    retry: { maxRetries: -1, baseDelayMs: 5, fallbackChains: { default: ['a/b', 3], small: ['c/d'] } },
    compaction: 'off',
    unknown: 1,
  };
  const settings = settingsOf(viewOf({ value }))();
  expect(settings.steeringMode).toBe('one-at-a-time');
  expect(settings.retry).toMatchObject({ maxRetries: 3, baseDelayMs: 5, fallbackChains: { small: ['c/d'] } });
  expect(settings.compaction.enabled).toBe(true);
});
