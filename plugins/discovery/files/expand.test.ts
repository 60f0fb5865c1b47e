import { expect, test } from 'vitest';
import { expanded, expandText } from './expand.ts';

test('a default counts where the variable is missing or empty; what is not set stays as it is written', () => {
  const variables = { A: '1', EMPTY: '' };
  expect(expandText(`\${A} \${env:A} \${B:-b} \${EMPTY:-e} \${EMPTY}. \${NO} $A \${A`, variables)).toEqual({
    value: `1 1 b e . \${NO} $A \${A`,
    missing: ['NO'],
  });
  expect(expandText(`\${constructor}`, variables).missing).toEqual(['constructor']);
});

test('a value that looks like a variable is not expanded again', () => {
  expect(expandText(`\${A}`, { A: `\${B}`, B: 'secret' }).value).toBe(`\${B}`);
});

test('a server is expanded in all that is started or sent', () => {
  const { value, missing } = expanded(
    {
      name: 'a',
      path: '/p',
      transport: 'http',
      enabled: true,
      url: `https://\${HOST:-x.test}/`,
      headers: { Authorization: `Bearer \${TOKEN}` },
      args: [`\${NO}`],
      env: { K: `\${TOKEN}` },
    },
    { TOKEN: 't' },
  );
  expect(value).toMatchObject({
    url: 'https://x.test/',
    headers: { Authorization: 'Bearer t' },
    args: [`\${NO}`],
    env: { K: 't' },
  });
  expect(missing).toEqual(['NO']);
});
