import type { Agent } from 'node:http';
import { messageOf } from 'kern/plugin';
import { ModelError } from './bridge/failure.ts';
import { proxyFor } from './bridge/proxy.ts';
import type { Network } from './contract.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The way to servers, by the settings `network.*` and the environment of the moment. Connections live until it is closed. */
export class ConfiguredNetwork implements Network {
  readonly #setting: (key: string) => unknown;
  readonly #env: Environment;
  readonly #agents = new Map<string, Promise<Agent>>();

  constructor(setting: (key: string) => unknown, env: Environment = process.env) {
    this.#setting = setting;
    this.#env = env;
  }

  agentFor(url: string): Promise<Agent> | undefined {
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const proxy = proxyFor(target, this.#setting('network.proxy'), this.#env);
    const file = this.#setting('network.ca');
    const ca = typeof file === 'string' && (isSecure || proxy?.url.protocol === 'https:') ? file : undefined;
    if (proxy === undefined && ca === undefined) return undefined;
    const key = JSON.stringify([proxy?.url.href, proxy?.from, ca, isSecure]);
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const made = import('./bridge/tunnel.ts').then(({ agentOf }) =>
      agentOf({ proxy, ca: ca === undefined ? undefined : trusted(ca, this.#env), isSecure }),
    );
    this.#agents.set(key, made);
    // A file that cannot be read may be there the next time.
    made.catch(() => this.#agents.delete(key));
    return made;
  }

  async close(): Promise<void> {
    const agents = await Promise.allSettled(this.#agents.values());
    this.#agents.clear();
    for (const agent of agents) if (agent.status === 'fulfilled') agent.value.destroy();
  }
}

/** What is trusted anyway, NODE_EXTRA_CA_CERTS included, and what stands in the file. */
function trusted(file: string, env: Environment): readonly string[] {
  const path = file.replace(/^~(?=[/\\])/, env.HOME ?? '~');
  const text = read(path);
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw unusable(`network.ca: ${path} holds no certificate in the form of PEM`);
  return [...process.getBuiltinModule('node:tls').getCACertificates('default'), text];
}

function read(path: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(`network.ca: ${path} cannot be read: ${messageOf(error)}`);
  }
}

function unusable(message: string): ModelError {
  return new ModelError('model_bad_request', message, {
    hint: 'set network.ca to a file of certificates, or unset it',
  });
}
