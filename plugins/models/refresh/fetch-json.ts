import { KernError, messageOf } from 'kern/plugin';
import { send } from '../bridge/http.ts';
import type { Network } from '../contract.ts';

export interface Asking {
  readonly signal: AbortSignal;
  readonly network?: Network | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON, with POST. */
  readonly body?: unknown;
  readonly timeoutMs?: number | undefined;
}

const sizeLimit = 64 * 1024 * 1024;

/** What a server answers, as JSON. A redirect is not followed: the key stays where it belongs. */
export async function serverJson(url: string, asking: Asking): Promise<unknown> {
  const { signal, network, headers, body, timeoutMs = 30_000 } = asking;
  const host = new URL(url).host;
  const failed = (why: string): KernError =>
    new KernError('model_refresh_failed', `${host} ${why}`, { hint: 'what was known before still counts' });
  const limit = AbortSignal.timeout(timeoutMs);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  let text: string;
  try {
    const answer = await send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...json, ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
      signal: AbortSignal.any([signal, limit]),
      network,
    });
    if (!answer.ok) {
      void answer.pieces.return?.();
      throw failed(`answered with ${answer.status}`);
    }
    text = await wholeText(answer.pieces, () => failed('answers without an end'));
  } catch (error) {
    if (error instanceof KernError) throw error;
    signal.throwIfAborted();
    throw failed(
      limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : `cannot be asked: ${messageOf(error)}`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw failed('answered with something that is no JSON');
  }
}

async function wholeText(pieces: AsyncIterator<Uint8Array>, tooLong: () => Error): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let step = await pieces.next(); step.done !== true; step = await pieces.next()) {
    text += decoder.decode(step.value, { stream: true });
    if (text.length > sizeLimit) {
      void pieces.return?.();
      throw tooLong();
    }
  }
  return text + decoder.decode();
}
