import { expect, test } from 'vitest';
import { powershellArguments, powershellScript } from './arguments.ts';
import { createPowershell } from './powershell.ts';

// Not run here: these say what PowerShell is started with, as it was checked by its documentation.

test('the arguments that PowerShell gets [not run here]', () => {
  const args = powershellArguments('Get-ChildItem "C:\\Program Files" | Where-Object { $_.Length -gt 10 }');
  expect(args.slice(0, -1)).toEqual([
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-ExecutionPolicy',
    'Bypass',
    '-EncodedCommand',
  ]);
  expect(Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le')).toBe(
    `$OutputEncoding = [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
$ProgressPreference = 'SilentlyContinue'
Get-ChildItem "C:\\Program Files" | Where-Object { $_.Length -gt 10 }
if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }
exit 0`,
  );
});

test.each(['"', "'", '`', '$(rm)', 'a # b', 'ü€', 'line one\nline two'])(
  '%s in a command reaches PowerShell as it is [not run here]',
  (command) => {
    const encoded = powershellArguments(command).at(-1) ?? '';
    expect(encoded).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(encoded, 'base64').toString('utf16le')).toBe(powershellScript(command));
    expect(powershellScript(command).split('\n').slice(2, -2).join('\n')).toBe(command);
  },
);

test('variables that a call sets are part of what is judged', () => {
  const tool = createPowershell({ program: 'pwsh', jobs: () => Promise.reject(), session: () => undefined });
  const where = { cwd: '/', root: '/', home: '/' };
  expect(tool.effects?.({ command: 'git status', env: { PATH: "it's" } }, where)).toMatchObject([
    { command: "$env:PATH = 'it''s'; git status" },
  ]);
});
