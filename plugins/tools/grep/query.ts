import type { Pattern } from './pattern.ts';

/** A search, the same for ripgrep and for the built-in matcher. */
export interface Query {
  /** Real and absolute; every other path is below it. */
  readonly root: string;
  /** Only this file of it. */
  readonly file: string | undefined;
  /** Of that file, where ripgrep would take it for binary. */
  readonly encoding: string | undefined;
  /** Below the root, and '' for the root itself: where to look. */
  readonly folders: readonly string[];
  /** A folder is ignored by rules above it, and named all the same. */
  readonly isIgnored: boolean;
  /** The root belongs to a repository. */
  readonly isInRepository: boolean;
  readonly pattern: Pattern;
  readonly ignoreCase: boolean;
  /** Matches may span lines. */
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly context: number;
  /** More than so many hits in a file are of no use. */
  readonly mostHits: number;
  /** The last word on which files count. */
  readonly accepts: (path: string) => boolean;
  /** What ripgrep may leave out by itself: names that do not fit any of the first, and paths that fit one of the second. */
  readonly names: readonly string[];
  readonly excluded: readonly string[];
}

/** Takes what is found: files in order, and in a file the lines. */
export interface Hits {
  /** Nothing more is wanted. */
  readonly isDone: boolean;
  /** A hit, or a line beside one. */
  line(path: string, number: number, isHit: boolean, text: string, isCut?: boolean): void;
  /** Not all of the file is text, and the rest of it was not searched. */
  binary(path: string): void;
  /** Hits of the file are told, and it is in an old charset, or one that does not say its name: which was guessed. */
  decoded(path: string, encoding: string): void;
}

/** How a search ended. */
export interface Ended {
  readonly unreadable: number;
  readonly timedOut: boolean;
  /** Files left because the pattern takes too long on them. */
  readonly slow: readonly string[];
  /** Files that are too large to be searched across lines. */
  readonly large: readonly string[];
}
