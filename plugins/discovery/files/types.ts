/** What a look at a path tells, links followed. */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** Changes with every write. */
  readonly mark: string;
  /** Written so short a time ago that the next write may leave the same mark. */
  readonly isRecent: boolean;
}

/** The file system as discovery needs it; a test puts another one in its place. Every call may wait for ever. */
export interface FilePort {
  /** Undefined where nothing is; rejects with a code otherwise. */
  look(path: string): Promise<FileFacts | undefined>;
  names(
    folder: string,
  ): Promise<readonly { readonly name: string; readonly kind: 'file' | 'folder' | 'other' | 'link' }[]>;
  /** At most `limit` bytes of a plain file. */
  bytes(file: string, limit: number): Promise<Uint8Array>;
  /** The path without links. */
  real(path: string): Promise<string>;
}
