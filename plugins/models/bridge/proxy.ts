import { isLoopback } from '../knock.ts';
import { ModelError } from './failure.ts';

/** A proxy, and where it is said to use it. */
export interface ProxyAddress {
  readonly url: URL;
  /** `network.proxy`, `HTTPS_PROXY`, … */
  readonly from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy on the way to an address, by the setting and the environment; undefined for the straight way. */
export function proxyFor(target: URL, setting: unknown, env: Environment): ProxyAddress | undefined {
  // Nobody's proxy leads to a server on this machine; with https somebody has gone to the trouble of asking for it.
  if (target.protocol === 'http:' && isLoopback(target.href)) return undefined;
  const said = saidProxy(target, setting, env);
  if (said === undefined || isExcepted(target, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const { value, from } = said;
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '') return { url, from };
  // Its value may hold a password.
  const what = url === undefined ? 'no address' : `an address of the kind ${url.protocol}//`;
  throw new ModelError('model_bad_request', `${from} is ${what}, which is no proxy that kern can use`, {
    hint: `set it to http://host:port, or go past it with network.proxy: none`,
  });
}

function saidProxy(
  { protocol }: URL,
  setting: unknown,
  env: Environment,
): { readonly value: string; readonly from: string } | undefined {
  if (typeof setting === 'string' && setting.trim() !== '') {
    const value = setting.trim();
    return value === 'none' ? undefined : { value, from: 'network.proxy' };
  }
  const own = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  for (const from of [...own, 'all_proxy', 'ALL_PROXY']) {
    const value = env[from]?.trim();
    if (value !== undefined && value !== '') return { value, from };
  }
  return undefined;
}

/** Whether NO_PROXY names a host: `*`, `host`, `.domain`, `10.0.0.0/8`, each with a port or without. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname);
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const { name, only } = parts(entry);
      if (only !== undefined && only !== ownPort) return false;
      return isNamed(host, name.toLowerCase());
    });
}

/** What is excepted, and on which port only; an IPv6 address may stand without brackets. */
function parts(entry: string): { readonly name: string; readonly only: string | undefined } {
  const isBareAddress = !entry.startsWith('[') && entry.indexOf(':') !== entry.lastIndexOf(':');
  const [, name = '', only] = isBareAddress ? [entry, entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  return { name: bare(name), only };
}

function isNamed(host: string, name: string): boolean {
  if (name === '*') return true;
  if (name.includes('/')) return isInside(host, name);
  const domain = name.replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInside(host: string, range: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const [address = '', bits = ''] = range.split('/');
  const kind = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');
  if (isIP(host) === 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (isIP(address) === 6 ? 128 : 32)) return false;
  const ranges = new BlockList();
  ranges.addSubnet(address, Number(bits), kind(address));
  return ranges.check(host, kind(host));
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
