import { defineService } from 'kern/plugin';

/** A prompt as it was typed. */
export interface PastPrompt {
  readonly id: number;
  readonly prompt: string;
  /** Where it was said; undefined where nobody noted it. */
  readonly cwd: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Remembers what a person typed, for recall: the same in every terminal. It has nothing to do with what a session holds. */
export interface PromptHistory {
  /** Written a moment later. A prompt that repeats the last one of its folder, an empty one and one of more than 100,000 characters is not. */
  add(prompt: string, cwd?: string): void;
  /** Newest first. */
  getRecent(limit: number, options?: { readonly cwd?: string | undefined }): Promise<readonly PastPrompt[]>;
  /** Those that hold every word of the query, or its beginning, newest first. Any text is a query. */
  search(query: string, limit: number, options?: { readonly cwd?: string | undefined }): Promise<readonly PastPrompt[]>;
  /** Forgets everything. */
  clear(): Promise<void>;
  /** What was added is written, or it was said why not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Remembers prompts. */
export const promptHistory = defineService<PromptHistory>({ id: 'prompt-history', level: 'user' });
