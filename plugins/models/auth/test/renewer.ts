// A kern that asks for a credential of `acme`, again and again: node renewer.ts <home> <definition as JSON> <times>
import { auth, authProviders, oauthProvider } from 'kern/contracts';
import { codeOf, definePlugin } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import modelsPlugin from '../../index.ts';
import authPlugin from '../index.ts';

const [home = '', definition = '{}', times = '1'] = process.argv.slice(2);
const signIn = definePlugin({
  id: 'acme',
  requires: ['models.auth'],
  setup: (ctx) => ctx.contribute(authProviders, oauthProvider(JSON.parse(definition))),
});
const t = await bootKernel([modelsPlugin, authPlugin, signIn], { home });
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  for (let time = 0; time < Number(times); time += 1) {
    const credential = await t.view
      .service(auth)
      .credential('acme', new AbortController().signal)
      .catch((error: unknown) => ({ secret: codeOf(error) ?? String(error) }));
    process.stdout.write(`${credential?.secret ?? 'none'}\n`);
  }
  await t[Symbol.asyncDispose]();
  process.exit();
});
