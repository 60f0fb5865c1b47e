import type { ModelWire } from 'kern/contracts';

/** A provider as models.yml describes it, checked. */
export interface CustomProvider {
  readonly id: string;
  /** Where it stands, for messages: `models.yml:12`. */
  readonly place: string;
  readonly wire: ModelWire;
  readonly baseUrl: string;
  /** A literal, `$NAME` or `!command`. */
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly CustomModel[];
}

export interface CustomModel {
  readonly id: string;
  readonly name?: string | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly reasoning?: boolean | undefined;
  readonly input?: readonly ('text' | 'image')[] | undefined;
  readonly cost?:
    | { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number }
    | undefined;
}

export interface ModelsFile {
  readonly providers: readonly CustomProvider[];
  /** One line each, with file and line; what it is about is left out, the rest counts. */
  readonly problems: readonly string[];
}
