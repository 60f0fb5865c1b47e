import { codeOf, visible } from 'kern/plugin';
import type { Complaint } from './contract.ts';

export { terminalUi } from './terminal-ui.ts';

/** Columns side by side, as wide as what stands in them; the last one is not filled up. */
export function columns(rows: readonly (readonly string[])[], gap = 2): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap)))
      .join('')
      .trimEnd(),
  );
}

/** Codes by what they mean for whoever waits for us. What is not named here is a failed run: 1. */
const exitCodes: Readonly<Record<string, number>> = {
  usage: 2,
  auth_unknown: 2,
  capability_unknown: 2,
  config_bad_value: 2,
  config_missing: 2,
  config_unknown_key: 2,
  extension_missing: 2,
  file_unreadable: 2,
  import_unknown_source: 2,
  model_ambiguous: 2,
  model_unknown: 2,
  plugin_unknown: 2,
  price_unknown: 2,
  provider_unknown: 2,
  schema_unknown: 2,
  session_ambiguous: 2,
  session_not_found: 2,
  tool_unknown: 2,
  trust_unknown_item: 2,
  auth_expired: 3,
  no_model: 3,
  not_signed_in: 3,
  untrusted: 4,
  time_limit: 124,
};

export function exitCodeOf(error: unknown): number {
  return exitCodes[codeOf(error) ?? ''] ?? 1;
}

/** A plugin that was not taken is told by the session, as a change of that plugin. */
export function isToldAsChange({ code, plugin }: Complaint): boolean {
  return code === 'kept_old' || (code === 'load_failed' && plugin !== 'kern');
}

/** For a person, without the end of the line; what follows in further lines is indented, so that it is no line of its own. */
export function complaintLine({ plugin, message }: Complaint): string {
  const whole = message.includes(plugin) || plugin === 'kern' ? message : `${plugin}: ${message}`;
  return `kern: ${whole.split('\n').map(visible).join('\n  ')}`;
}
