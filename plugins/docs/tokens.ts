import type { Capability, Hook } from 'kern/plugin';
import { code, table } from './blocks.ts';

/** A token as it is exported. */
export interface Exported {
  /** `toolCall`: what an extension imports. */
  readonly name: string;
  /** `kern/contracts` or `kern/plugin`. */
  readonly from: string;
  readonly token: Hook | Capability<unknown>;
}

/** What the sources say about an export. */
export interface Said {
  /** Its doc comment, on one line. */
  readonly text: string;
  /** `plugins/tools/contract.ts`. */
  readonly file: string;
}

/** The tokens among what a module exports. */
export function tokensOf(module: Readonly<Record<string, unknown>>, from: string): readonly Exported[] {
  return Object.entries(module).flatMap(([name, value]) => (isToken(value) ? [{ name, from, token: value }] : []));
}

function isToken(value: unknown): value is Exported['token'] {
  if (typeof value !== 'object' || value === null || !('token' in value) || !('id' in value)) return false;
  return value.token === 'hook' || value.token === 'capability';
}

/** The exports of a source file with the doc comment right above each. */
export function docLines(source: string, file: string): ReadonlyMap<string, Said> {
  const found = new Map<string, Said>();
  for (const [, comment, name] of source.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export const (\w+)\b/gm)) {
    if (name !== undefined) found.set(name, { text: oneLine(comment ?? ''), file });
  }
  return found;
}

function oneLine(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, '').trim())
    .join(' ')
    .trim();
}

export type Sayings = ReadonlyMap<string, Said>;

/** Tokens that nobody has described. A page with holes is worse than a test that names them. */
export function undescribed(tokens: readonly Exported[], sayings: Sayings): readonly string[] {
  return tokens.filter(({ name }) => (sayings.get(name)?.text ?? '') === '').map(({ name }) => name);
}

/** The hooks, a table for each room, in the order of its contract. */
export function hookTables(tokens: readonly Exported[], sayings: Sayings): readonly string[] {
  const places = [...sayings.keys()];
  const hooks = tokens.filter(isHook).toSorted((a, b) => places.indexOf(a.name) - places.indexOf(b.name));
  const rooms = Map.groupBy(hooks, ({ name }) => sayings.get(name)?.file ?? '');
  return [...rooms]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([file, own], at) => [
      ...(at === 0 ? [] : ['']),
      `### ${roomOf(file)}`,
      '',
      `From ${code(own[0]?.from ?? '')}; what a tap gets stands in [${file}](../../../${file}).`,
      '',
      ...table(
        ['hook', 'import', 'kind', 'a tap that fails or is late', 'when'],
        own.map((exported) => hookRow(exported, sayings)),
      ),
    ]);
}

function hookRow(exported: Exported, sayings: Sayings): readonly string[] {
  const hook = exported.token as Hook;
  return [code(hook.id), code(exported.name), kindOf(hook), failureOf(hook), saidOf(exported, sayings)];
}

/** The capabilities. `supply` names the built-in items of each. */
export function capabilityTables(
  tokens: readonly Exported[],
  sayings: Sayings,
  supply: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const rows = tokens.filter((exported) => !isHook(exported) && !isService(exported));
  return table(
    ['capability', 'import', 'what it is', 'built in'],
    rows.toSorted(byId).map((exported) => {
      const names = supply.get(exported.token.id) ?? [];
      return [code(exported.token.id), code(exported.name), saidOf(exported, sayings), names.map(code).join(' ')];
    }),
  );
}

export function serviceTable(tokens: readonly Exported[], sayings: Sayings): readonly string[] {
  return table(
    ['service', 'import', 'what it is', 'who may supply it'],
    tokens
      .filter(isService)
      .toSorted(byId)
      .map((exported) => {
        const { from = [] } = exported.token as Capability<unknown>;
        const who = from.includes('user') ? 'built-ins, and you' : 'built-ins only';
        return [code(exported.token.id), code(exported.name), saidOf(exported, sayings), who];
      }),
  );
}

const isHook = ({ token }: Exported): boolean => token.token === 'hook';
const isService = ({ token }: Exported): boolean => token.token === 'capability' && 'service' in token;
const byId = (a: Exported, b: Exported): number => (a.token.id < b.token.id ? -1 : 1);
const saidOf = ({ name }: Exported, sayings: Sayings): string => sayings.get(name)?.text ?? '';

function kindOf(hook: Hook): string {
  return hook.guard === undefined ? hook.kind : `${hook.kind}, guards`;
}

function failureOf(hook: Hook): string {
  const limit = hook.limitMs === undefined ? '' : ` (after ${hook.limitMs / 1000} s)`;
  if (hook.guard !== undefined) {
    const keeper = hook.guard.keeper === undefined ? '' : `, and so does a missing ${code(hook.guard.keeper)}`;
    return `denies${limit}${keeper}`;
  }
  if (hook.onlyFrom !== undefined)
    return `is skipped${limit}; some answers count only from ${hook.onlyFrom.levels.join(', ')}`;
  return hook.kind === 'transform' ? `is skipped: the value passes${limit}` : `is skipped${limit}`;
}

/** `plugins/tools/contract.ts` → `tools`. */
function roomOf(file: string): string {
  return file.startsWith('plugins/') ? (file.split('/')[1] ?? 'plugins') : 'kernel';
}
