import { defineCapability } from 'kern/plugin';
import { z } from 'zod';
import type { AgentSession, Prompt } from '../agent/contract.ts';

/** What a mode is given to work with. */
export interface ModeRun {
  readonly session: AgentSession;
  /** The prompts of the command line, in order; empty where a mode reads its own. */
  readonly prompts: readonly Prompt[];
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
  /** Only what was asked for. */
  readonly stdout: NodeJS.WritableStream;
  /** Progress and notices. */
  readonly stderr: NodeJS.WritableStream;
  /** Colour may be used on stderr. */
  readonly color: boolean;
}

/** A front of kern: print, json, rpc, interactive. Answers with the exit code. */
export interface Mode {
  readonly id: string;
  readonly summary: string;
  run(run: ModeRun): Promise<number>;
}

/** The fronts of kern. Key: the id, which is what `--mode` takes. */
export const modes = defineCapability<Mode>({
  id: 'mode',
  schema: z.custom<Mode>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      'run' in value &&
      typeof value.run === 'function',
    'a mode is {id, summary, run(run)}',
  ),
  key: (mode) => mode.id,
});

/** Draws what a mode does not know how to draw. Modes with a screen ask; the others never do. */
export interface Renderer {
  /** `message:<customType>`, `entry:<customType>`, `tool-call:<tool>`, `tool-result:<tool>`. */
  readonly kind: string;
  /** Lines that are no wider than `width` columns; undefined: as it is drawn otherwise. */
  render(
    value: unknown,
    options: { readonly width: number; readonly expanded: boolean },
  ): readonly string[] | undefined;
}

/** How things are drawn. Key: the kind. */
export const renderers = defineCapability<Renderer>({
  id: 'renderer',
  schema: z.custom<Renderer>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'kind' in value &&
      typeof value.kind === 'string' &&
      'render' in value &&
      typeof value.render === 'function',
    'a renderer is {kind, render(value, options)}',
  ),
  key: (renderer) => renderer.kind,
});

/** What a key does, in modes that read keys. */
export interface Keybinding {
  readonly action: string;
  /** `ctrl+shift+p`, `f5`: any of them. */
  readonly keys: readonly string[];
  readonly summary: string;
  run(): void | Promise<void>;
}

/** What keys do. Key: the action. */
export const keybindings = defineCapability<Keybinding>({
  id: 'keybinding',
  schema: z.custom<Keybinding>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'action' in value &&
      typeof value.action === 'string' &&
      'keys' in value &&
      Array.isArray(value.keys) &&
      'run' in value &&
      typeof value.run === 'function',
    'a keybinding is {action, keys, summary, run()}',
  ),
  key: (keybinding) => keybinding.action,
});
