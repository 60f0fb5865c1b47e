import type { SharedV4ProviderOptions } from '@ai-sdk/provider';

/** How a wire wants what is not the same on all of them. */
export interface Dialect {
  /** Names the wire in messages: what it gave is given back to it only. */
  readonly api: string;
  /** Reasoning as it goes back; undefined where it cannot. */
  thinking(text: string, signature: string | undefined, redacted: boolean): Reasoning | undefined;
  /** What goes with a text that was signed. */
  readonly textOptions?: (signature: string) => SharedV4ProviderOptions | undefined;
  /** What goes with a call that was signed. */
  readonly callOptions?: (signature: string) => SharedV4ProviderOptions | undefined;
  /** Results may hold images; elsewhere they follow in a user message. */
  readonly imagesInResults: boolean;
  /** Of those that its servers can read. */
  readonly imageTypes: ReadonlySet<string>;
  readonly longestCallId: number;
  /** Two replies in a row are sent as one: its servers refuse a call that follows another reply. */
  readonly joinsReplies?: boolean;
}

export interface Reasoning {
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** What nearly every server can read. */
export const commonImages: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Reasoning of another model: left out, or told as text. */
export type ForeignReasoning = 'drop' | 'text';
