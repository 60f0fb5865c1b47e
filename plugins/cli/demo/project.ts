import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CommandHost, processes } from 'kern/contracts';

const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'duration', private: true, type: 'module', scripts: { test: 'node --test' } }, undefined, 2)}\n`,
  'README.md': '# duration\n\nSays how long something took, in hours, minutes and seconds, for people.\n',
  'duration.js': `/** 3661 seconds are '1h 1m 1s'. */
export function formatDuration(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60);
  return \`\${hours}h \${minutes}m \${seconds % 60}s\`;
}
`,
  'duration.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from './duration.js';

test('less than an hour', () => {
  assert.equal(formatDuration(61), '0h 1m 1s');
});

test('more than an hour', () => {
  assert.equal(formatDuration(3661), '1h 1m 1s');
});
`,
};

/** A small repository with a failing test. Answers whether git was there to keep it. */
export async function makeProject(folder: string, host: CommandHost): Promise<boolean> {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  await host.view.use(processes).load();
  const { signal } = host;
  const git = async (...args: string[]): Promise<boolean> => {
    // The settings of whoever looks on (signing, hooks, templates) are not part of the show.
    const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    const person = ['-c', 'user.name=kern', '-c', 'user.email=kern@example.invalid', '-c', 'init.defaultBranch=main'];
    try {
      const child = host.view
        .service(processes)
        .spawn('git', [...person, ...args], { cwd: folder, env, signal, timeoutMs: 20_000 });
      return (await child.result).exitCode === 0;
    } catch {
      return false; // there is no git here
    }
  };
  return (
    (await git('init', '--quiet')) &&
    (await git('add', '.')) &&
    (await git('commit', '--quiet', '--message', 'A failing test'))
  );
}
