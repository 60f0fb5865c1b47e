import { auth, authProviders, oauthProvider } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { AuthService } from './service.ts';
import { signIns } from './sign-ins.ts';
import { authStore } from './store.ts';

export default definePlugin({
  id: 'models.auth',
  description: 'Keys and sign-ins: from the environment, from commands, and from auth.json',
  declares: [auth, authProviders],
  requires: ['models'],
  after: ['processes'],
  setup(ctx) {
    const service = new AuthService(
      ctx,
      authStore(ctx.where.home, (message) => ctx.log.warn(message)),
    );
    ctx.contribute(auth, service);
    for (const signIn of signIns) ctx.contribute(authProviders, oauthProvider(signIn));
    // A token whose answer is on its way would be lost with the process.
    ctx.defer(() => service.settled());
  },
});
