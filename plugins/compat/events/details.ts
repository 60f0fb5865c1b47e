import { isRecord } from '../extension.ts';

/**
 * What pi tells of a result beside its text, by tool. kern's own details stay; what pi's have under another name is added:
 * where the whole output lies, and what of it is shown.
 */
export function foreignDetails(tool: string, details: unknown): unknown {
  if (!isRecord(details)) return details;
  if (!['bash', 'powershell', 'read', 'grep', 'find', 'ls'].includes(tool)) return details;
  const meta = isRecord(details.meta) ? details.meta : undefined;
  const cut = isRecord(meta?.truncation) ? meta.truncation : undefined;
  if (cut === undefined) return details;
  const { by, from, to, totalLines, totalBytes, artifactPath } = cut;
  return {
    ...details,
    truncation: {
      truncated: true,
      truncatedBy: by ?? null,
      totalLines,
      totalBytes,
      outputLines: typeof from === 'number' && typeof to === 'number' ? to - from + 1 : undefined,
    },
    ...(typeof artifactPath === 'string' ? { fullOutputPath: artifactPath } : {}),
  };
}
