import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';

const finding = {
  ...{ title: '[P1] Lock is never released', body: 'When open fails.', priority: 'P1', confidence: 0.8 },
  ...{ file_path: 'src/lock.ts', line_start: 10, line_end: 12 },
};

test('a finding is kept in the details, and told in a line', async () => {
  await using t = await bootTools(['tools.report-finding']);
  const result = await t.callTool('report_finding', finding);
  expect(result.details).toEqual(finding);
  expect(resultText(result)).toBe('Noted: [P1] Lock is never released (src/lock.ts:10-12, 80 % sure)');
  expect(result.terminate).toBeUndefined();
});

test('priorities and confidences are understood as models write them', async () => {
  await using t = await bootTools(['tools.report-finding']);
  const result = await t.callTool('report_finding', { ...finding, priority: 2, confidence: 90, line_end: '10' });
  expect(result.details).toMatchObject({ priority: 'P2', confidence: 0.9, line_end: 10 });
});

test.each([
  [{ title: 'x'.repeat(81) }, 'title'],
  [{ priority: 'P7' }, 'priority'],
  [{ confidence: 200 }, 'confidence'],
  [{ line_start: 0 }, 'line_start'],
  [{ line_start: 20 }, 'line_end: is before line_start'],
  [{ body: undefined }, 'body: is missing'],
])('a finding that is not whole is refused: %j', async (wrong, named) => {
  await using t = await bootTools(['tools.report-finding']);
  const result = await t.callTool('report_finding', { ...finding, ...wrong });
  expect(result).toMatchObject({ isError: true });
  expect(resultText(result)).toContain(named);
});
