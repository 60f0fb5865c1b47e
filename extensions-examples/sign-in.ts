// A vendor of one's own with a sign-in: `kern auth login workshop`, then `--model workshop/large`.
import {
  auth,
  authProviders,
  describeModel,
  modelProviders,
  oauthProvider,
  providerKey,
  replyOver,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

const id = 'workshop';

export default definePlugin({
  id: 'sign-in',
  requires: ['models.auth'],
  config: z.object({ server: z.url().default('https://models.workshop.example') }),
  setup(ctx) {
    const { server } = ctx.config;
    ctx.contribute(
      authProviders,
      oauthProvider({
        id,
        displayName: 'The workshop',
        clientId: 'kern-test',
        browser: { authorizeUrl: `${server}/authorize` },
        tokenUrl: `${server}/token`,
        revokeUrl: `${server}/revoke`,
        hosts: [new URL(server).hostname], // no other host gets the token
      }),
    );

    const key = providerKey({ provider: id, keys: () => ['$WORKSHOP_KEY'], auth: () => ctx.service(auth) });
    const large = () => describeModel(id, 'large', { contextWindow: 128_000, available: key.has() });
    ctx.contribute(modelProviders, {
      id,
      displayName: 'The workshop',
      keys: key.keys,
      missing: key.missing,
      models: () => [large()],
      model: (name) => (name === 'large' ? large() : undefined),
      stream: (request, signal) =>
        key.reply(request, signal, (sent) =>
          replyOver('openai-chat', { provider: id, baseUrl: `${server}/v1`, ...sent }, request, signal),
        ),
    });
  },
});
