export type XmlPart =
  | { readonly kind: 'open' | 'close'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'text'; readonly text: string };

/** Walks through XML as Office writes it. Names come without their namespace; `<a/>` opens and closes. No DTDs: nothing grows. */
export function* xmlParts(xml: string): Generator<XmlPart> {
  for (let at = 0; at < xml.length; ) {
    const start = xml.indexOf('<', at);
    if (start === -1) return;
    if (start > at) yield { kind: 'text', text: withoutEntities(xml.slice(at, start)) };
    if (xml.startsWith('<![CDATA[', start)) {
      const end = endAfter(xml, ']]>', start);
      yield { kind: 'text', text: xml.slice(start + 9, end - 3) };
      at = end;
    } else if (xml.startsWith('<!--', start)) {
      at = endAfter(xml, '-->', start);
    } else if (xml[start + 1] === '?' || xml[start + 1] === '!') {
      at = endAfter(xml, '>', start);
    } else {
      const end = tagEnd(xml, start);
      yield* tagParts(xml.slice(start + 1, end));
      at = end + 1;
    }
  }
}

function* tagParts(tag: string): Generator<XmlPart> {
  if (tag.startsWith('/')) {
    yield { kind: 'close', name: localName(tag.slice(1)), attributes: '' };
    return;
  }
  const isEmpty = tag.endsWith('/');
  const inner = isEmpty ? tag.slice(0, -1) : tag;
  const space = inner.search(/\s/);
  const name = localName(space === -1 ? inner : inner.slice(0, space));
  yield { kind: 'open', name, attributes: space === -1 ? '' : inner.slice(space) };
  if (isEmpty) yield { kind: 'close', name, attributes: '' };
}

/** An attribute by its name, with its namespace if it has one. */
export function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : withoutEntities(value);
}

const localName = (name: string): string => name.trim().replace(/^.*:/, '');

/** A `>` may stand in quotes. */
function tagEnd(xml: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < xml.length; at += 1) {
    const letter = xml[at] ?? '';
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '>') return at;
  }
  return xml.length;
}

function endAfter(xml: string, mark: string, start: number): number {
  const at = xml.indexOf(mark, start);
  return at === -1 ? xml.length : at + mark.length;
}

export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return entities[String(name)] ?? String(whole);
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      return code > 0x10ffff ? String(whole) : String.fromCodePoint(code);
    },
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
