import type { PermissionMode } from 'kern/contracts';

/** Text as it really is: what a terminal would obey or hide is spelled out, so that a question cannot lie. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) =>
    char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** What would allow a call that nobody can be asked about. */
export function howToAllow(mode: PermissionMode, isEdit: boolean, tool: string): string {
  if (mode === 'plan') return 'leave plan mode with --permission-mode ask, edits or all';
  const modes = isEdit && mode !== 'edits' ? '--permission-mode edits or all' : '--permission-mode all';
  return `${modes} (--yolo), or a rule in the config: permissions: { rules: [{ allow: "${tool}(…)" }] }`;
}
