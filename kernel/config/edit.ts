import type { Document, Pair, YAMLMap } from 'yaml';
import { KernError, messageOf } from '../error.ts';
import { dig, isPlainObject, plain } from './node.ts';
import { readConfigText } from './read.ts';

/** A change of one value of a config file; `undefined` takes it out. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The text with one value changed. In YAML comments, order and unknown keys stay; JSON keeps its order and indent. */
export async function editText(text: string, edit: Edit, isJson: boolean): Promise<string> {
  const edited = isJson ? editJson(text, edit) : await editYaml(text, edit);
  const written = await readConfigText(edited).catch((cause: unknown) => {
    throw broken(`would not be readable after the change: ${messageOf(cause)}`);
  });
  const { node } = dig(written.root, edit.path);
  const isThere = node === undefined ? undefined : plain(node);
  if (JSON.stringify(isThere) !== JSON.stringify(edit.value ?? undefined))
    throw broken(`has ${edit.path.join('.')} where it cannot be changed`);
  return edited;
}

/** The text with a setting under another name. In YAML its comments go with it. */
export async function moveText(
  text: string,
  from: readonly string[],
  to: readonly string[],
  isJson: boolean,
): Promise<string> {
  const { root } = await readConfigText(text);
  const { node } = dig(root, from);
  if (node === undefined) return text;
  const isTaken = dig(root, to).node !== undefined;
  if (isTaken) return editText(text, { path: from, value: undefined }, isJson);
  const isSibling = from.length === to.length && from.slice(0, -1).every((name, at) => name === to[at]);
  if (!isJson && isSibling) return renamedInPlace(text, from, to.at(-1) ?? '');
  return editText(
    await editText(text, { path: to, value: plain(node) }, isJson),
    { path: from, value: undefined },
    isJson,
  );
}

async function renamedInPlace(text: string, path: readonly string[], name: string): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, prettyErrors: false });
  const map: unknown = document.getIn(path.slice(0, -1), true);
  const holder = path.length === 1 ? document.contents : map;
  const pair = yaml.isMap(holder)
    ? (holder.items as Pair[]).find(({ key }) => yaml.isScalar(key) && String(key.value) === path.at(-1))
    : undefined;
  if (pair === undefined || !yaml.isScalar(pair.key)) throw broken(`has ${path.join('.')} where it cannot be changed`);
  pair.key.value = name;
  return printed(document, text);
}

/** The error for a file that only a person can put right; who knows the file puts its name before it. */
export function broken(message: string): KernError {
  return new KernError('config_unreadable', message, { hint: 'Correct the file by hand.' });
}

async function editYaml(text: string, edit: Edit): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text.replace(/^\uFEFF/, ''), {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split('\n').length;
    throw broken(`cannot be parsed: ${error.message} (line ${line})`);
  }
  const root: unknown = document.contents;
  const isEmpty = root === null || (yaml.isScalar(root) && root.value === null);
  if (!isEmpty && !yaml.isMap(root)) throw broken('does not hold a map of settings');
  if (isEmpty) {
    if (edit.value === undefined) return text;
    document.contents = document.createNode({}) as typeof document.contents;
  }
  change(yaml, document, document.contents as unknown as YAMLMap, edit);
  return printed(document, text);
}

function printed(document: Document, text: string): string {
  const line = /\r\n/.test(text) ? '\r\n' : '\n';
  // Long texts are not folded, and `[a]` or `[ a ]` stays as the person has it.
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(text) }).replaceAll('\n', line);
}

function change(yaml: typeof import('yaml'), document: Document, map: YAMLMap, { path, value }: Edit): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  // By text: `123:` and `true:` are keys too.
  const items = map.items as Pair[];
  const pair = items.find(({ key }) => yaml.isScalar(key) && String(key.value) === name);
  if (rest.length > 0) {
    let inner: unknown = pair?.value;
    if (!yaml.isMap(inner)) {
      if (value === undefined) return;
      if (yaml.isAlias(inner)) throw broken(`has an alias for ${name}`);
      inner = put(yaml, document, map, pair, name, {});
    }
    change(yaml, document, inner as YAMLMap, { path: rest, value });
    // An empty map left behind would be noise.
    if (value === undefined && (inner as YAMLMap).items.length === 0) items.splice(items.indexOf(pair as Pair), 1);
  } else if (value !== undefined) {
    put(yaml, document, map, pair, name, value);
  } else if (pair !== undefined) {
    items.splice(items.indexOf(pair), 1);
  }
}

function put(
  yaml: typeof import('yaml'),
  document: Document,
  map: YAMLMap,
  pair: Pair | undefined,
  name: string,
  value: unknown,
): unknown {
  const node = document.createNode(value);
  if (pair === undefined) {
    map.items.push(document.createPair(name, value) as Pair);
    // The first entry turns `{}` into lines of its own.
    if (map.items.length === 1) map.flow = false;
    return (map.items.at(-1) as Pair).value;
  }
  // What a person wrote beside the old value is about the setting, not about the value.
  if (yaml.isNode(pair.value)) {
    if (pair.value.comment != null) node.comment = pair.value.comment;
    if (pair.value.commentBefore != null) node.commentBefore = pair.value.commentBefore;
    if (pair.value.spaceBefore === true) node.spaceBefore = true;
  }
  pair.value = node;
  return node;
}

function editJson(text: string, { path, value }: Edit): string {
  let content: unknown;
  try {
    content = text.trim() === '' ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw broken(`cannot be parsed: ${messageOf(cause)}`);
  }
  if (!isPlainObject(content)) throw broken('does not hold a map of settings');
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2;
  const end = text === '' || text.endsWith('\n') ? '\n' : '';
  return `${JSON.stringify(changed(content, path, value), undefined, indent)}${end}`;
}

function changed(map: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name, ...rest] = path;
  if (name === undefined) return map;
  const old = Object.hasOwn(map, name) ? map[name] : undefined;
  let next = value;
  if (rest.length > 0) {
    if (!isPlainObject(old) && value === undefined) return map;
    next = changed(isPlainObject(old) ? old : {}, rest, value);
    if (value === undefined && Object.keys(next as object).length === 0) next = undefined;
  }
  const others = { ...map };
  if (next === undefined) delete others[name];
  else Object.defineProperty(others, name, { value: next, enumerable: true, configurable: true, writable: true });
  return others;
}
