/** Requests as the wires have them. Of what really comes nothing is certain, so that each field may be missing. */

/** What a body of any wire may have; each looks at what is its own. */
export type WireBody = AnthropicBody & ChatBody & ResponsesBody & GoogleBody;

export interface AnthropicBody {
  readonly model?: unknown;
  readonly max_tokens?: number;
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: number };
  readonly system?: string | readonly AnthropicBlock[];
  readonly messages?: readonly AnthropicMessage[];
}

export interface AnthropicMessage {
  readonly role?: string;
  readonly content?: readonly AnthropicBlock[];
}

export interface AnthropicBlock {
  readonly type?: string;
  readonly text?: unknown;
  readonly signature?: unknown;
  readonly data?: unknown;
  readonly id?: string;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly AnthropicBlock[];
  readonly source?: { readonly media_type?: string; readonly data?: string };
}

export interface ChatBody {
  readonly messages?: readonly ChatMessage[];
}

export interface ChatMessage {
  readonly role?: string;
  readonly content?: string | readonly ContentPart[];
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ChatCall[];
}

export interface ChatCall {
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

/** A part of a message: `image_url` is a map in Chat Completions, and a text in Responses. */
export interface ContentPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly image_url?: string | { readonly url?: string };
}

export interface ResponsesBody {
  readonly store?: boolean;
  readonly input?: readonly ResponsesItem[];
}

export interface ResponsesItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly ContentPart[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly output?: string | readonly ContentPart[];
  readonly summary?: unknown;
  readonly encrypted_content?: unknown;
}

export interface GoogleBody {
  readonly systemInstruction?: { readonly parts?: readonly GooglePart[] };
  readonly contents?: readonly GoogleContent[];
}

export interface GoogleContent {
  readonly role?: string;
  readonly parts?: readonly GooglePart[];
}

export interface GooglePart {
  readonly text?: unknown;
  readonly thoughtSignature?: unknown;
  readonly functionCall?: { readonly name?: string; readonly args?: unknown };
  readonly functionResponse?: {
    readonly name?: string;
    readonly response?: unknown;
    readonly parts?: readonly GooglePart[];
  };
  readonly inlineData?: GoogleData;
}

export interface GoogleData {
  readonly mimeType?: string;
  readonly data?: string;
}
