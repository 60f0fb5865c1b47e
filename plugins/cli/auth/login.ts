import { isatty } from 'node:tty';
import { authProviders, type CommandArgs, type CommandHost, type LoginUi, terminalUi } from 'kern/contracts';
import { KernError, nearNames, visible } from 'kern/plugin';
import { askHidden } from './hidden.ts';
import { authOf, providerIds, unknownProvider } from './service.ts';

/** The longest thing that is a key, in bytes. */
const mostBytes = 65_536;

export async function login({ positionals, options, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const auth = await authOf(host);
  const reader = host.view.use(authProviders);
  await reader.load(host.signal);
  const signIns = reader.items();
  const known = [...new Set([...signIns.map(({ id }) => id), ...(await providerIds(host))])];
  const provider = positionals[0] ?? (await choose(host, known));
  if (!known.includes(provider)) throw notToSignInTo(provider, known);
  const account = typeof options.account === 'string' ? options.account : undefined;
  const signIn = options.key === true ? undefined : signIns.find(({ id }) => id === provider);
  if (signIn?.verified === false)
    host.say(`Signing in to ${signIn.displayName} has not been tried against the vendor's own servers.`);
  const kept =
    signIn === undefined
      ? await auth.saveKey(provider, await readKey(provider, host), account)
      : await auth.login(provider, loginUi(host), host.signal, account);
  if (shared.json) host.json(kept);
  else
    host.print(`${kept.kind === 'oauth' ? 'signed in to' : 'keeping a key for'} ${provider}: ${visible(kept.account)}`);
  const [first] = (await auth.status()).filter((one) => one.provider === provider);
  if (first !== undefined && first.account !== kept.account)
    host.say(`${visible(first.account)} is used first; this one stands in when that has met its limit or is refused.`);
  return 0;
}

/** What is near to no name may be a key, which is not shown. */
function notToSignInTo(word: string, known: readonly string[]): KernError {
  if (nearNames(word, known).length > 0) return unknownProvider(word, known);
  return new KernError('provider_unknown', 'what is given is no provider of models', {
    hint: `there are ${known.join(', ')}. A key is no argument: it is asked for, or piped in`,
  });
}

/** Somebody has to be there to choose. */
async function choose(host: CommandHost, known: readonly string[]): Promise<string> {
  const usage = (): KernError =>
    new KernError('usage', 'which provider?', { hint: `kern auth login <provider>: ${known.join(', ')}` });
  if (!isThere(host)) throw usage();
  const chosen = await terminalUi(host.stdin, host.stderr).select('Sign in to', known, host.signal);
  if (chosen === undefined) throw usage();
  return chosen;
}

/** A key from the terminal, unseen, or from what is piped in. */
async function readKey(provider: string, host: CommandHost): Promise<string> {
  if (host.piped !== undefined) {
    let text = '';
    for await (const chunk of host.piped) {
      text += String(chunk);
      if (text.length > mostBytes) throw new KernError('usage', 'what is piped in is longer than any key');
    }
    return text;
  }
  if (!isThere(host))
    throw new KernError('usage', `the key for ${provider} has to be piped in, or typed at a terminal`, {
      hint: `pass show ${provider} | kern auth login ${provider} --key`,
    });
  const typed = await askHidden(`Key for ${provider} (not shown): `, host);
  if (typed === undefined) throw new KernError('usage', 'no key was typed');
  return typed;
}

function loginUi(host: CommandHost): LoginUi {
  return {
    show({ url, code, message }) {
      if (message !== undefined) host.say(message);
      host.say(`Open ${visible(url)}`);
      if (code !== undefined) host.say(`and type the code ${visible(code)}`);
    },
    ask: async (question, signal) => {
      if (!isThere(host)) return undefined;
      return terminalUi(host.stdin, host.stderr).input(question.replace(/[:\s]*$/, ''), undefined, signal);
    },
    progress: (message) => host.say(message),
  };
}

const isThere = (host: CommandHost): boolean => isatty(0) && host.stderr.isTTY === true;
