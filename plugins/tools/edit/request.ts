import type { Edit } from './apply.ts';
import type { LineEdit } from './hash-lines.ts';
import type { Hunk } from './hunks.ts';

export const formats = ['replace', 'patch', 'apply_patch', 'hashline'] as const;
export type Format = (typeof formats)[number];

/** What a call wants of one file, whatever format it came in. Paths as they were given. */
export type FileRequest =
  | {
      readonly op: 'update';
      readonly path: string;
      readonly moveTo?: string | undefined;
      readonly by:
        | { readonly kind: 'texts'; readonly edits: readonly Edit[] }
        | { readonly kind: 'hunks'; readonly hunks: readonly Hunk[] }
        | { readonly kind: 'lines'; readonly edits: readonly LineEdit[] };
    }
  | { readonly op: 'create'; readonly path: string; readonly content: string }
  | { readonly op: 'delete'; readonly path: string };

/** All or nothing. */
export interface EditRequest {
  readonly files: readonly FileRequest[];
  readonly format: Format;
}
