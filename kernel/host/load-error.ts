import { KernError } from '../error.ts';

export type LoadFailure = 'plugin_syntax' | 'plugin_missing_import' | 'plugin_threw' | 'plugin_refused';

/** Why a plugin's code did not load, and which paths to watch until it may. */
export class LoadError extends KernError {
  /** The file at fault, where it is known. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Absolute paths that were looked for: when one of them appears, it is worth another try. */
  readonly missing: readonly string[];
  /** Own files that were read before it failed, with the hash of what was read. */
  files: readonly string[] = [];
  contents: ReadonlyMap<string, string> = new Map();

  constructor(
    code: LoadFailure,
    message: string,
    options: {
      readonly file?: string;
      readonly line?: number | undefined;
      readonly missing?: readonly string[];
      readonly hint?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, {
      ...(options.hint === undefined ? {} : { hint: options.hint }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.name = 'LoadError';
    this.file = options.file;
    this.line = options.line;
    this.missing = options.missing ?? [];
  }

  /** The same with another next step. */
  instead(hint: string): LoadError {
    const { code, message, file, line, missing, cause, files, contents } = this;
    const told = { line, missing, hint, cause, ...(file === undefined ? {} : { file }) };
    return Object.assign(new LoadError(code as LoadFailure, message, told), { files, contents });
  }
}

/** A file that cannot be parsed. The line is part of the message: it is what a person looks for. */
export function syntaxError(file: string, line: number | undefined, why: string, cause?: unknown): LoadError {
  const place = line === undefined ? file : `${file}:${line}`;
  return new LoadError('plugin_syntax', `${place} cannot be parsed: ${why}`, {
    file,
    line,
    cause,
    hint: 'correct the file; it is read again as soon as it is saved',
  });
}

export function missingImport(
  specifier: string,
  importer: string,
  missing: readonly string[],
  cause?: unknown,
): LoadError {
  const own = /^[./#]|^file:/.test(specifier);
  return new LoadError('plugin_missing_import', `${importer} imports ${specifier}, which is not there`, {
    file: importer,
    missing,
    cause,
    hint: own
      ? 'create the file or correct the path; it is tried again when the file appears'
      : `install ${specifier} beside the plugin, or remove the import`,
  });
}
