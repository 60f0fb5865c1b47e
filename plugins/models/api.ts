import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BedrockEndpoint } from './bridge/bedrock-endpoint.ts';
import type { Endpoint } from './bridge/endpoint.ts';
import { KeptModel } from './bridge/kept.ts';
import type { ModelRequest, StreamEvent } from './contract.ts';
import type { Script, ScriptSource } from './script-file.ts';
import { whenAsked } from './when-asked.ts';

export { abortError } from './bridge/abort.ts';
export { argumentsOf as toolArguments } from './bridge/arguments.ts';
export type { AwsCredentials, BedrockEndpoint } from './bridge/bedrock-endpoint.ts';
export { defaultIdleTimeoutMs, type Endpoint as ModelEndpoint } from './bridge/endpoint.ts';
/** What a provider throws: `modelErrors.refused(endpoint, { status: 429, body })`. */
export * as modelErrors from './bridge/failure.ts';
export { isTransient, ModelError } from './bridge/failure.ts';
export { type Answer as HttpAnswer, type Sent as HttpSent, send as httpSend } from './bridge/http.ts';
export { type Catalog as ModelCatalog, catalogModels, modelNamed } from './catalog/models.ts';
export { nextModel } from './cycle.ts';
export { describeModel, type ModelFacts, splitModelId } from './describe.ts';
export { type KeySource, keyAtHand, keySource, keyVariables, wordsOf as keyCommandWords } from './key-source.ts';
export { isLoopback, serverModels } from './knock.ts';
export { isGlob as isModelPattern, namePattern as modelPattern } from './names.ts';
export type { OAuthDefinition } from './oauth/definition.ts';
export { oauthProvider } from './oauth/provider.ts';
export { type Pick as ModelPick, pick as pickModel } from './pick.ts';
export { type ProviderKey, type ProviderKeyParts, providerKey, type SentKey } from './provider-key.ts';
export { redactText } from './redact.ts';
export { serverDiscovery as modelDiscovery, serverJson } from './refresh/discovery.ts';
export type { Script, ScriptBlock, ScriptFailure, ScriptSource, ScriptTurn } from './script-file.ts';
export { type WireSettings, wireSettings } from './settings.ts';
export { costOf, noTokens, type Tokens as TokenCounts, usageOf } from './usage.ts';
export { whenAsked } from './when-asked.ts';

/** The protocols kern speaks with models' servers. */
export const modelWires = ['anthropic', 'openai-chat', 'openai-responses', 'google'] as const;
export type ModelWire = (typeof modelWires)[number];

/** For `ModelEndpoint.kept`: what a provider's requests have in common is made once. */
export const keptModel = (): KeptModel => new KeptModel();

/**
 * One reply over a wire: what a provider's `stream` answers with. The wire's library loads with the first event.
 * ```ts
 * stream: (request, signal) => replyOver('openai-chat', { provider: 'acme', baseUrl, apiKey }, request, signal)
 * ```
 */
export function replyOver(
  wire: ModelWire,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  return whenAsked(async () => {
    switch (wire) {
      case 'anthropic':
        return (await import('./bridge/anthropic.ts')).anthropicReply(endpoint, request, signal);
      case 'openai-responses':
        return (await import('./bridge/responses.ts')).responsesReply(endpoint, request, signal);
      case 'google':
        return (await import('./bridge/google.ts')).googleReply(endpoint, request, signal);
      case 'openai-chat':
        return (await import('./bridge/chat.ts')).chatReply(endpoint, request, signal);
    }
  });
}

/** One reply from Amazon Bedrock, whose package is an option and may not be there. */
export function bedrockReply(
  endpoint: BedrockEndpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  return whenAsked(async () => (await import('./bridge/bedrock.ts')).bedrockReply(endpoint, request, signal));
}

/** Reads a scripted model's file. What is wrong with it is said with file, line and place; `shown` names it there. */
export async function readScript(file: string, shown: string): Promise<Script> {
  return (await import('./script-file.ts')).readScript(file, shown);
}

/** JSON Schema of a scripted model's file. */
export async function scriptSchema(): Promise<Readonly<Record<string, unknown>>> {
  return (await import('./script-file.ts')).scriptJsonSchema();
}

/** A scripted model's file in a folder of its own, for tests: `model` is its name, and disposing removes it. */
export interface ScriptFile extends Disposable {
  readonly model: string;
  readonly path: string;
  dispose(): void;
}

/** Writes a script, or only its turns, so that a session can be run with `model`. */
export function scriptFile(script: ScriptSource | ScriptSource['turns']): ScriptFile {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-script-'));
  const file = path.join(folder, 'script.json');
  const whole = 'turns' in script ? script : { version: 1, turns: script };
  writeFileSync(file, JSON.stringify(whole), { mode: 0o600 });
  const dispose = (): void => rmSync(folder, { recursive: true, force: true });
  return { model: `script/${file}`, path: file, dispose, [Symbol.dispose]: dispose };
}
