import type { ModelFacts, ModelProblem, ModelWire } from 'kern/contracts';

/** A provider as models.yml describes it, checked. */
export interface CustomProvider {
  readonly id: string;
  /** Where it stands, for messages: `models.yml:12`. */
  readonly place: string;
  readonly wire: ModelWire;
  readonly baseUrl: string;
  /** A literal, `$NAME` or `!command`. */
  readonly apiKey?: string | undefined;
  /** Text, or `$NAME`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly CustomModel[];
}

export interface CustomModel extends Omit<ModelFacts, 'available'> {
  readonly id: string;
  /** Short for the usual levels of thinking. */
  readonly reasoning?: boolean | undefined;
}

/** What it says of models of a provider that is described elsewhere. */
export interface CustomOverride {
  readonly id: string;
  readonly place: string;
  readonly models: readonly CustomModel[];
}

/** What was said of a model, and nothing else. */
export function factsOf({ id: _, reasoning, ...said }: CustomModel): ModelFacts {
  const levels: ModelFacts['thinking'] =
    reasoning === undefined ? undefined : reasoning ? ['off', 'low', 'medium', 'high'] : ['off'];
  return { ...(levels === undefined ? {} : { thinking: levels }), ...said };
}

export interface ModelsFile {
  readonly providers: readonly CustomProvider[];
  readonly overrides: readonly CustomOverride[];
  /** A line of text each, with file and line; what it is about is left out, the rest counts. */
  readonly problems: readonly ModelProblem[];
}
