import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../cli/test/house.ts';
import { openDesk } from '../cli/test/line.ts';
import { bash, oneHook, openGround, sh } from './test/ground.ts';

const guard = '#!/bin/sh\nif grep -q forbidden; then echo never >&2; exit 2; fi\n';
const hooks = oneHook('PreToolUse', sh('./no.sh'), 'Bash');
const done = { text: 'done' };

test.for([
  [
    'its script is another',
    'printf "#!/bin/sh\\nexit 0\\n" > no.sh',
    /cannot run any more: what stands there is not what was trusted/,
  ],
  ['its script is gone', 'rm no.sh', /cannot run any more/],
  ['its script is a link that leads out', 'ln -sf /bin/true no.sh', /cannot run any more/],
  ['its folder is gone', 'mv .claude .cc', /no\.sh|never/],
  ['all hooks are switched off there', `echo '{"disableAllHooks":true}' > .claude/settings.json`, /never/],
  [
    'its provider is switched off by the project',
    `mkdir -p .kern && echo 'providers: { claude: false }' > .kern/config.yml`,
    /never/,
  ],
  ['script and folder are others', 'echo > no.sh; rm -r .claude', /cannot run any more/],
] as const)(
  'a trusted guard of a project does not open in the run that changes it: %s',
  { timeout: 60_000 },
  async ([, change, why]) => {
    await using desk = await openDesk({
      '.claude/settings.json': hooks,
      'no.sh': guard,
      's.json': JSON.stringify({
        version: 1,
        turns: [bash(change), bash('true'), bash('touch forbidden', 'c3'), done],
      }),
    });
    await desk.kern('tool', 'call', 'bash', JSON.stringify({ command: 'chmod +x no.sh' }), '--yolo');
    expect((await desk.kern('trust', 'grant')).code).toBe(0);
    const { out, err } = await desk.kern('--mode', 'json', 'go', '--model', 'script/s.json', '--yolo');
    expect(existsSync(path.join(desk.project, 'forbidden'))).toBe(false);
    expect(`${out}\n${err}`).toMatch(why);
  },
);

test('what was trusted of a guard that is gone is taken back by the person', async () => {
  let state: 'trusted' | 'untrusted' = 'trusted';
  const files = { '.claude/settings.json': oneHook('PreToolUse', sh('echo never >&2; exit 2'), 'Bash') };
  const g = await openGround(
    files,
    [bash('touch one'), bash('touch two', 'c2'), done, bash('touch three', 'c3'), done],
    {
      trust: { check: async () => state },
    },
  );
  await g.session.prompt({ text: 'go' });
  g.write('.claude/settings.json', '{}');
  state = 'untrusted';
  await g.session.prompt({ text: 'go' });
  expect([g.has('one'), g.has('two'), g.has('three')]).toEqual([false, false, true]);
});

test('a guard whose provider the person switches off meanwhile is gone', async () => {
  await using house = await openHouse({
    '.claude/settings.json': oneHook('PreToolUse', sh('echo never >&2; exit 2'), 'Bash'),
  });
  expect(await house.call('bash', { command: 'true' })).toContain('never');
  house.write('../home/config.yml', 'providers: { claude: false }\n');
  await expect.poll(() => house.call('bash', { command: 'echo ran' }), { timeout: 15_000, interval: 100 }).toBe('ran');
}, 60_000);
