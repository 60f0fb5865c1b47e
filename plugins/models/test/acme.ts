import { authProviders, modelProviders, oauthProvider, providerKey, type StreamEvent } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { ModelError } from '../bridge/failure.ts';
import { auth, type LoginUi } from '../oauth/contract.ts';
import type { OAuthDefinition } from '../oauth/definition.ts';
import { noTokens, usageOf } from '../usage.ts';
import { aModel, answered } from './requests.ts';

/** How the server of a pretended vendor takes a key: with a reply, or with an error. */
export type Takes = (secret: string | undefined) => Error | undefined;

/** A vendor whose models answer with the key they were asked with. */
export function acme(
  options: { readonly keys?: readonly string[]; readonly takes?: Takes; readonly signIn?: OAuthDefinition } = {},
) {
  const asked: (string | undefined)[] = [];
  const plugin = definePlugin({
    id: 'acme',
    requires: ['models.auth'],
    setup(ctx) {
      const key = providerKey({ provider: 'acme', keys: () => options.keys ?? [], auth: () => ctx.service(auth) });
      const model = aModel({ id: 'acme/m', provider: 'acme' });
      ctx.contribute(modelProviders, {
        id: 'acme',
        displayName: 'Acme',
        keys: key.keys,
        missing: key.missing,
        models: () => [{ ...model, available: key.has() }],
        model: () => ({ ...model, available: key.has() }),
        stream: (request, signal) =>
          key.reply(request, signal, async function* ({ apiKey }): AsyncGenerator<StreamEvent> {
            asked.push(apiKey);
            const refused = options.takes?.(apiKey);
            if (refused !== undefined) throw refused;
            const message = answered([{ type: 'text', text: apiKey ?? '' }], { usage: usageOf(noTokens, null) });
            yield { type: 'done', message };
          }),
      });
      if (options.signIn !== undefined) ctx.contribute(authProviders, oauthProvider(options.signIn));
    },
  });
  return { plugin, asked };
}

export const limited = (retryAfterMs?: number): Error =>
  new ModelError('model_rate_limited', 'too many requests', { retryAfterMs });
export const unauthorized = (): Error => new ModelError('model_unauthorized', 'no such key');

/** A person whose browser signs in at once. */
export const browsing: LoginUi = {
  show: ({ url }) => void fetch(url).catch(() => undefined),
  ask: (_question, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  progress: () => undefined,
};
