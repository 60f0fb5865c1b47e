import { type OfferRecord, type PluginUnit, rootOf } from './activation.ts';
import type { Capability, Level } from './capability.ts';
import { messageOf } from './error.ts';
import type { Hook } from './hook.ts';
import type { Token } from './plugin.ts';
import { Refusal } from './refusal.ts';
import { type Parsed, parse } from './schema.ts';

export interface Declaration {
  readonly token: Token;
  /** The id of the plugin whose contract it is, or `kern`. */
  readonly owner: string;
  readonly level: Level;
  /** Of a plugin that neither came with kern nor stands in for one that did. */
  readonly isStrange: boolean;
}

/** Everything declared, one token an id; what a project declares stands beside, for its own views. */
export type Declarations = ReadonlyMap<string, Declaration>;

/** Who declares, as a unit: a plugin known from its manifest only is given as the unit it will be. */
export interface Declarer {
  readonly unit: PluginUnit;
  readonly declares: readonly Token[];
}

/** Who declares what. The later of two declarers is refused; a stranger's ids start with its own. */
export function declarationsOf(declarers: readonly Declarer[], builtin: readonly Token[]): Declarations {
  const declarations = new Map<string, Declaration>();
  const ids = new Map<string, { root: string | undefined; owner: string; unit: PluginUnit | undefined }[]>();
  for (const token of builtin) {
    declarations.set(place(token), { token, owner: 'kern', level: 'builtin', isStrange: false });
    ids.set(place(token), [{ root: undefined, owner: 'kern', unit: undefined }]);
  }
  for (const { unit, declares } of declarers) {
    const { id, replaces } = unit.definition;
    const root = rootOf(unit);
    const isStrange = unit.level !== 'builtin' && replaces === undefined;
    for (const token of declares) {
      if (isStrange && !token.id.startsWith(`${id}/`)) {
        throw new Refusal(
          [unit],
          'token_id',
          `plugin ${id} declares ${token.id}`,
          `ids of extensions start with the plugin's: ${id}/${token.id}`,
        );
      }
      const others = ids.get(place(token)) ?? [];
      // Two projects do not see each other, so each may have its own.
      const other = others.find(
        (one) => one.unit !== unit && (one.root === undefined || root === undefined || one.root === root),
      );
      if (other !== undefined) {
        throw new Refusal(
          [unit],
          'token_taken',
          `plugin ${id} declares ${token.id}, which ${other.owner} declares already`,
          `choose an id of your own: ${id}/${token.id}`,
        );
      }
      ids.set(place(token), [...others, { root, owner: id, unit }]);
      declarations.set(place(token, root), { token, owner: id, level: unit.level, isStrange });
    }
  }
  return declarations;
}

const place = (token: { readonly token: string; readonly id: string }, root?: string): string =>
  root === undefined ? `${token.token}:${token.id}` : `${token.token}:${token.id}\0${root}`;

/** The declaration in force for who looks from a project, or from none. */
export function declarationOf(
  declarations: Declarations,
  kind: Token['token'],
  id: string,
  root: string | undefined,
): Declaration | undefined {
  const token = { token: kind, id };
  return (root === undefined ? undefined : declarations.get(place(token, root))) ?? declarations.get(place(token));
}

export function declaredCapability(
  declarations: Declarations,
  id: string,
  root: string | undefined,
): Capability<unknown> | undefined {
  return declarationOf(declarations, 'capability', id, root)?.token as Capability<unknown> | undefined;
}

export function declaredHook(declarations: Declarations, id: string, root: string | undefined): Hook | undefined {
  return declarationOf(declarations, 'hook', id, root)?.token as Hook | undefined;
}

export function isSameDeclarations(a: Declarations, b: Declarations): boolean {
  if (a.size !== b.size) return false;
  for (const [id, { token, owner }] of a) {
    const other = b.get(id);
    if (other?.token !== token || other.owner !== owner) return false;
  }
  return true;
}

/** What an item comes to under a capability. Parsing checks; what is handed out is what was offered, or its normal form. */
export function examine(
  capability: Capability<unknown>,
  offered: unknown,
): Pick<OfferRecord, 'offered' | 'item' | 'key' | 'schema' | 'parsed'> {
  const { schema } = capability;
  const parsed = parsedItem(capability, offered);
  const item = parsed.ok ? parsed.value : offered;
  return { offered, item, key: keyOf(capability, item), schema, parsed };
}

/** A normal form that cannot be made is an issue too. */
function parsedItem({ schema, normalize }: Capability<unknown>, offered: unknown): Parsed<unknown> {
  const parsed = parse(schema, offered);
  if (!parsed.ok || normalize === undefined) return parsed.ok ? { ok: true, value: offered } : parsed;
  try {
    return { ok: true, value: normalize(offered) };
  } catch (error) {
    return { ok: false, issues: [messageOf(error)] };
  }
}

/** The key of an item; one that cannot be made is no key. */
export function keyOf(capability: Capability<unknown>, item: unknown): string | undefined {
  try {
    return capability.key(item);
  } catch {
    return undefined;
  }
}
