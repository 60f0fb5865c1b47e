/** What became of an item. */
export type What = 'new' | 'changed' | 'gone';

/** What changed around a run since the model was asked last. Data only: a newer revision of the mode goes on with it. */
export interface News {
  /** By kind and key, so that each is told once, whoever of several providers tells of it. */
  readonly items: Map<string, What>;
  /** Kinds that were heard of since the last reply, and those of before: what is found at the first look is no news. */
  readonly heard: Set<string>;
  readonly known: Set<string>;
  /** How many tokens the model has read and written, as it said last; undefined before the first reply. */
  tokens: number | undefined;
}
