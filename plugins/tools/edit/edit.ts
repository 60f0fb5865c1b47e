import { defineTool } from 'kern/contracts';
import type { Schema } from 'kern/plugin';
import { type EditHost, editFiles, effectsOf } from './edit-files.ts';
import { faces, parseArguments } from './formats/parse.ts';
import type { EditRequest, Format } from './request.ts';
import type { EditDetails } from './result.ts';

export interface EditOptions {
  /** What models are told to send, unless a model has another. Understood are all. */
  readonly format: Format;
  /** Changes are shown, and made when `resolve` says so. */
  readonly preview: boolean;
  readonly host: () => Promise<EditHost>;
}

type EditArguments = Readonly<Record<string, unknown>>;

export function editTool({ format, preview, host }: EditOptions) {
  const requestOf = (args: EditArguments): EditRequest | undefined => {
    const parsed = parseArguments(args, format);
    return 'request' in parsed ? parsed.request : undefined;
  };
  const parameters: Schema<EditArguments> = {
    '~standard': {
      validate(args) {
        const parsed = parseArguments(args, format);
        return 'problem' in parsed ? { issues: [{ message: parsed.problem }] } : { value: args as EditArguments };
      },
    },
  };
  return defineTool<EditArguments, EditDetails>({
    ...faces[format],
    parameters,
    executionMode: 'sequential',
    ...(preview ? { deferrable: true } : {}),
    effects(args, { cwd }) {
      const request = requestOf(args);
      if (request === undefined) return [];
      const effects = effectsOf(request, cwd);
      // What is only shown has yet to be allowed: that is for resolve.
      return preview
        ? effects.flatMap((effect) => ('path' in effect ? [{ kind: 'read', path: effect.path } as const] : []))
        : effects;
    },
    async execute(_id, args, signal, _onUpdate, context) {
      const parsed = parseArguments(args, format);
      if ('problem' in parsed) throw new Error(parsed.problem);
      return editFiles(parsed.request, await host(), signal, context);
    },
  });
}
