import type { Format } from '../request.ts';
import { applyPatchFace, parseApplyPatch } from './apply-patch.ts';
import { hashlineFace, parseHashline } from './hashline.ts';
import { parsePatch, patchFace } from './patch.ts';
import { parseReplace, replaceFace } from './replace.ts';
import { type Arguments, type Face, isRecord, type Parsed, unpacked } from './shape.ts';

export type { Face, Parsed } from './shape.ts';

export const faces: Readonly<Record<Format, Face>> = {
  replace: replaceFace,
  patch: patchFace,
  apply_patch: applyPatchFace,
  hashline: hashlineFace,
};

const parsers: Readonly<Record<Format, (args: Arguments) => Parsed>> = {
  replace: parseReplace,
  patch: parsePatch,
  apply_patch: parseApplyPatch,
  hashline: parseHashline,
};

/** Reads a call. A model may fall back to a format it knows better: what it wants is then still plain to see. */
export function parseArguments(args: unknown, expected: Format): Parsed {
  return isRecord(args) ? parsers[formatOf(args, expected)](args) : { problem: 'the arguments are no object.' };
}

function formatOf(args: Arguments, expected: Format): Format {
  if ('patch' in args || 'input' in args) return 'apply_patch';
  if ('diff' in args || 'op' in args || 'rename' in args) return 'patch';
  if ('oldText' in args || 'old_string' in args || 'old_text' in args || 'oldString' in args) return 'replace';
  const edits = unpacked(args.edits);
  const [first] = Array.isArray(edits) ? edits.map(unpacked) : [edits];
  if (isRecord(first)) return 'loc' in first ? 'hashline' : 'replace';
  return 'delete' in args || 'move' in args ? 'hashline' : expected;
}
