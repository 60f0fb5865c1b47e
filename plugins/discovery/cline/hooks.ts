import type { At, HookItem } from 'kern/contracts';

/** Cline knows a hook by the name of its file alone. */
const events: ReadonlySet<string> = new Set([
  'TaskStart',
  'TaskResume',
  'TaskCancel',
  'TaskComplete',
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'PreCompact',
]);

export async function clineHooks({ path, make }: At): Promise<readonly HookItem[]> {
  const files = (await make.below(path)).filter(({ kind }) => kind === 'file');
  return files.flatMap((file) => {
    const event = file.name.replace(/\.(?:sh|ps1|py|js|exe)$/, '');
    // A program, whatever it is written in: Cline never loads it as code.
    return events.has(event)
      ? [{ ...make.hookFile(file.path, 'pre'), event, matcher: '*', kind: 'file' as const }]
      : [];
  });
}
