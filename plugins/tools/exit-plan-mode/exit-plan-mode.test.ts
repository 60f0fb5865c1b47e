import { resultText } from 'kern/contracts';
import { absentUi, type Ui } from 'kern/plugin';
import { expect, test } from 'vitest';
import { testContext } from '../test/context.ts';
import { exitPlanMode } from './exit-plan-mode.ts';

const none = absentUi(() => {});
const person = (answer: string | undefined, says?: string): Ui => ({
  ...none,
  available: true,
  select: async (_title, options) => options.find((option) => option.startsWith(answer ?? '\0')),
  input: async () => says,
});

const ask = (ui: Ui, mode: 'plan' | 'ask' = 'plan') =>
  exitPlanMode({ ui: () => ui, mode: async () => mode }).execute(
    '1',
    { title: 'Two steps' },
    new AbortController().signal,
    () => {},
    testContext(),
  );

test('a yes ends the run, and changes no mode by itself', async () => {
  const result = await ask(person('Yes'));
  expect(result).toMatchObject({ details: { title: 'Two steps', approved: true }, terminate: true });
});

test('a no keeps planning, with what the person wants', async () => {
  const result = await ask(person('No', ' shorter, please '));
  expect(result).toMatchObject({ details: { approved: false, refine: 'shorter, please' } });
  expect(result.terminate).toBeUndefined();
  expect(resultText(result)).toContain('They say: shorter, please');
});

test('no answer is a no', async () => {
  expect(await ask(person(undefined))).toMatchObject({ details: { approved: false } });
});

test('where nobody can be asked, and where nothing is planned, it says so', async () => {
  expect(await ask(none)).toMatchObject({ isError: true });
  expect(resultText(await ask(person('Yes'), 'ask'))).toContain('not plan mode');
});
