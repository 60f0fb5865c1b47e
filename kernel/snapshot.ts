import type { Activation, OfferRecord, PluginUnit, ProviderRecord, TapRecord } from './activation.ts';
import type { Capability } from './capability.ts';
import { KernError } from './error.ts';
import type { Hook } from './hook.ts';
import type { CompiledHooks } from './hooks.ts';
import type { PluginDefinition, Token } from './plugin.ts';
import { parse } from './schema.ts';

/** A plugin known from its manifest only: nothing of it has run. */
export interface IdlePlugin {
  readonly id: string;
  readonly description?: string;
  readonly declares: readonly Token[];
  /** Capability id to the keys it supplies, `'*'` where only running it can tell. */
  readonly contributes: Readonly<Record<string, '*' | readonly string[]>>;
  /** Hooks it taps: such a plugin is never idle. */
  readonly taps?: readonly string[];
  load(): Promise<PluginDefinition>;
}

/** What a provider said for one working directory. */
export interface Answer {
  readonly record: ProviderRecord;
  readonly cwd: string;
  readonly offers: readonly (OfferRecord & { readonly level: 'user' | 'project' | undefined })[];
  readonly warnings: readonly string[];
  readonly watch: readonly string[];
}

export interface Declaration {
  readonly token: Token;
  readonly owner: string;
}

/** Immutable: what is plugged in, at one moment. Everything else is derived from it. */
export interface Snapshot {
  readonly number: number;
  /** In plugin order. */
  readonly activations: readonly Activation[];
  readonly place: ReadonlyMap<Activation, number>;
  readonly offers: readonly OfferRecord[];
  readonly providers: readonly ProviderRecord[];
  readonly answers: ReadonlyMap<string, Answer>;
  readonly idle: readonly IdlePlugin[];
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Derived from taps only, so it survives offers and answers. */
  readonly hooks: CompiledHooks;
}

export const answerKey = (record: ProviderRecord, cwd: string): string => `${record.activation.unit.key}\0${record.capability.id}\0${record.provider.id}\0${cwd}`;

/** Who declares what. A second declarer is refused; a stranger's ids start with its own. */
export function declarationsOf(units: readonly PluginUnit[], idle: readonly IdlePlugin[], builtin: readonly Token[]): ReadonlyMap<string, Declaration> {
  const declarations = new Map<string, Declaration>();
  const declare = (token: Token, owner: string): void => {
    const id = declarationId(token);
    const other = declarations.get(id);
    if (other !== undefined && other.owner !== owner) {
      throw new KernError('token_taken', `plugin ${owner} declares ${token.id}, which ${other.owner} declares already`, { hint: `choose an id of your own: ${owner}/${token.id}` });
    }
    declarations.set(id, { token, owner });
  };
  for (const token of builtin) declare(token, 'kern');
  for (const plugin of idle) for (const token of plugin.declares) declare(token, plugin.id);
  for (const unit of units) {
    const { id, declares = [] } = unit.definition;
    for (const token of declares) {
      if (unit.level !== 'builtin' && unit.definition.replaces === undefined && !token.id.startsWith(`${id}/`)) {
        throw new KernError('token_id', `plugin ${id} declares ${token.id}`, { hint: `ids of extensions start with the plugin's: ${id}/${token.id}` });
      }
      declare(token, id);
    }
  }
  return declarations;
}

const declarationId = (token: Token): string => `${token.token}:${token.id}`;

export function declaredCapability(snapshot: Pick<Snapshot, 'declarations'>, id: string): Capability<unknown> | undefined {
  const declaration = snapshot.declarations.get(`capability:${id}`);
  return declaration === undefined ? undefined : (declaration.token as Capability<unknown>);
}

export function declaredHook(snapshot: Pick<Snapshot, 'declarations'>, id: string): Hook | undefined {
  const declaration = snapshot.declarations.get(`hook:${id}`);
  return declaration === undefined ? undefined : (declaration.token as Hook);
}

export const isDeclared = (snapshot: Pick<Snapshot, 'declarations'>, token: Token): boolean => snapshot.declarations.has(declarationId(token));

/** An offer as the declaration in force sees it; parsed anew only when that is another one. */
export function underDeclaration<O extends OfferRecord>(offer: O, declared: Capability<unknown> | undefined): O {
  if (declared === undefined || declared.schema === offer.schema) return offer;
  const parsed = parse(declared.schema, offer.item);
  return { ...offer, capability: declared, schema: declared.schema, parsed, key: parsed.ok ? keyOf(declared, offer.item) : offer.key };
}

/** The key of an item; one that cannot be made is no key. */
export function keyOf(capability: Capability<unknown>, item: unknown): string | undefined {
  try {
    return capability.key(item);
  } catch {
    return undefined;
  }
}

/** All taps, in plugin order. */
export const tapsOf = (activations: readonly Activation[]): readonly TapRecord[] => activations.flatMap((activation) => activation.taps);
