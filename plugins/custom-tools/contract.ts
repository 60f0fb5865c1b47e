import { defineService, type PluginDefinition } from 'kern/plugin';

// Tools that a person writes as a file: a module whose default export is a tool, or a function that makes some; or a
// program that describes itself and is called.

/** Which file it is. */
export interface CustomToolOrigin {
  readonly path: string;
  /** What the file is called: the name of the tool, unless it says another. */
  readonly name: string;
}

/** What a program prints for `--describe`, as JSON. */
export interface ProgramDescription {
  /** Default: the name of the file. */
  readonly name?: string;
  readonly description: string;
  /** JSON Schema of an object. Default: no parameters. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Of one call, in ms. Default: the setting `timeoutMs`. */
  readonly timeoutMs?: number;
  readonly annotations?: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly title?: string };
}

/** Makes plugins of files that are tools; each is loaded, watched and reloaded as any other. */
export interface CustomToolMaker {
  ofModule(exports: unknown, origin: CustomToolOrigin): PluginDefinition;
  /** Asks the program to describe itself. Rejects with what is wrong with its answer. */
  ofProgram(origin: CustomToolOrigin): Promise<PluginDefinition>;
}

/** Makes tools of files. */
export const customToolMaker = defineService<CustomToolMaker>({ id: 'custom-tool-maker', level: 'builtin' });
