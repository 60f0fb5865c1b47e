import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { isTransient, refused } from './failure.ts';
import { codeOfAnswer, type FailureRow, failureTable } from './failure-table.ts';

const endpoint: Endpoint = { provider: 'test', baseUrl: 'http://127.0.0.1:1/v1' };

test.each(failureTable.map((row) => [row.example, row] as const))('%s', (example, row) => {
  const status = Array.isArray(row.status) ? row.status[0] : row.status;
  expect(codeOfAnswer(status, example)).toBe(row.code);
  expect(row.source).toMatch(/^https:\/\//);
});

describe('one status means several things', () => {
  test.each([
    [429, '{"error":{"message":"Rate limit reached for gpt-5 … billing","code":"rate_limit_exceeded"}}', true],
    [429, '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}', false],
    [429, '{"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}', false],
    [
      429,
      '{"error":{"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota. Please retry in 34.07s."}}',
      true,
    ],
    [429, '{"error":{"message":"Resource exhausted. Please try again later."}}', true],
    [
      429,
      '{"error":{"message":"Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 47000"}}',
      false,
    ],
    [402, '{"error":{"message":"Insufficient credits"}}', false],
    [500, 'context trouble in an internal queue', true],
    [520, '<html>Cloudflare</html>', true],
    [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens', false],
  ])('%i %s', (status, body, passes) => {
    expect(isTransient(codeOfAnswer(status, body))).toBe(passes);
  });
});

test('an error within a stream is told by its text, or by the status that it names', () => {
  expect(codeOfAnswer(undefined, '{"error":{"code":502,"message":"Provider returned error"}}')).toBe(
    'model_overloaded',
  );
  expect(codeOfAnswer(undefined, '{"error":{"code":"429","message":"slow"}}')).toBe('model_rate_limited');
  expect(codeOfAnswer(undefined, '{"type":"overloaded_error"}')).toBe('model_overloaded');
  expect(codeOfAnswer(undefined, 'what is this')).toBe('model_bad_response');
});

test.each([
  ['{"error":{"details":[{"@type":"RetryInfo","retryDelay":"34s"}],"message":"retryDelay"}}', 34_000],
  ['Rate limit reached for x. Please try again in 7m12.5s.', 432_500],
  ['Rate limit reached for x. Please try again in 20ms.', 20],
  ['Rate limit reached for x. Please try again in 1h2m.', 3_720_000],
  ['Please retry in 34.07s.', 34_070],
  ['Rate limit reached for x. Try again later.', undefined],
])('%s asks to wait', (body, ms) => {
  expect(refused(endpoint, { status: 429, body }).retryAfterMs).toBe(ms);
  expect(refused(endpoint, { status: 429, body, headers: { 'retry-after': '2' } }).retryAfterMs).toBe(2_000);
});

/** As it stands in the page. */
function tableLine({ provider, status, text, code, source }: FailureRow): string {
  const shown = status === undefined ? '' : typeof status === 'number' ? String(status) : status.join('–');
  const says = text === undefined ? '' : `\`${text.source.replaceAll('|', '\\|').replaceAll('`', '')}\``;
  return `| ${provider} | ${shown} | ${says} | \`${code}\` | ${source} |`;
}

test('the page shows the table as it is', async () => {
  const page = await readFile(new URL('../../docs/pages/failures.md', import.meta.url), 'utf8');
  const shown = page.slice(page.lastIndexOf('|---|---|---|---|---|')).split('\n').slice(1);
  expect(shown.filter((line) => line !== '')).toEqual(failureTable.map(tableLine));
});
