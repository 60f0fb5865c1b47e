import { expect, test } from 'vitest';
import { betterTool } from './interceptor.ts';

test.each([
  ['cat a.txt', 'read'],
  ['  head -20 a.txt', 'read'],
  ['grep -rn x src', 'grep'],
  ["rg 'a|b' src", 'grep'],
  ['find . -name "*.ts"', 'find'],
  ['fd --type f x', 'find'],
  ['sed -i s/a/b/ x', 'edit'],
  ['sed -n -i s/a/b/ x', undefined],
  ['perl -pi -e s/a/b/ x', 'edit'],
  ['awk -i inplace 1 x', 'edit'],
  ['echo text > a.txt', 'write'],
  ["cat <<'X' > a.txt\ntext\nX", 'write'],
  ['echo text', undefined],
  ['echo text 2>&1', undefined],
  ['cat a | sort', undefined],
  ['grep x a && echo found', undefined],
  ['git grep x', undefined],
  ['find . -delete', undefined],
])('%s: %s', (command, tool) => {
  const said = betterTool(command, () => true);
  if (tool === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(`use the tool ${tool} for this`);
});

test('a tool that is not there is not spoken of', () => {
  expect(betterTool('grep x a', (tool) => tool !== 'grep')).toBeUndefined();
});
