/** PowerShell's own words around a command: UTF-8 whatever the code page, and the exit code of what ran last. */
export function powershellScript(command: string): string {
  return [
    '$OutputEncoding = [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)',
    "$ProgressPreference = 'SilentlyContinue'",
    command,
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }',
    'exit 0',
  ].join('\n');
}

/** The command travels encoded: no quoting of Windows or of PowerShell touches it. */
export function powershellArguments(command: string): readonly string[] {
  return [
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-ExecutionPolicy',
    'Bypass',
    '-EncodedCommand',
    Buffer.from(powershellScript(command), 'utf16le').toString('base64'),
  ];
}
