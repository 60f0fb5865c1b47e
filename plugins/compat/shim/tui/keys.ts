/** Names of keys, as bindings write them. */
export const Key = new Proxy({} as Record<string, unknown>, {
  get: (_target, name) => (typeof name === 'string' ? (modifiers[name] ?? plainNames[name] ?? name) : undefined),
});

const plainNames: Readonly<Record<string, string>> = { pageUp: 'pageUp', pageDown: 'pageDown', esc: 'escape' };

const chord =
  (...names: readonly string[]) =>
  (key: string): string =>
    [...names, key].join('+');

const modifiers: Readonly<Record<string, (key: string) => string>> = {
  ctrl: chord('ctrl'),
  shift: chord('shift'),
  alt: chord('alt'),
  super: chord('super'),
  ctrlShift: chord('ctrl', 'shift'),
  ctrlAlt: chord('ctrl', 'alt'),
  shiftAlt: chord('shift', 'alt'),
  ctrlShiftAlt: chord('ctrl', 'shift', 'alt'),
};

const sent: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'escape',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  ' ': 'space',
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1b[C': 'right',
  '\x1b[D': 'left',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\x1b[3~': 'delete',
  '\x1b[5~': 'pageUp',
  '\x1b[6~': 'pageDown',
  '\x1b[Z': 'shift+tab',
};

/** The name of a key by what a terminal sends; undefined for what is no key. */
export function parseKey(data: string): string | undefined {
  const known = sent[data];
  if (known !== undefined) return known;
  const code = data.charCodeAt(0);
  if (data.length === 1 && code > 0 && code < 27) return `ctrl+${String.fromCharCode(code + 96)}`;
  if (data.length === 2 && data.startsWith('\x1b')) return `alt+${data[1]}`;
  return /^\P{Control}$/u.test(data) ? data : undefined;
}

export function matchesKey(data: string, key: string): boolean {
  const parsed = parseKey(data);
  const wanted = key === 'return' ? 'enter' : key === 'esc' ? 'escape' : key;
  return parsed !== undefined && parsed.toLowerCase() === wanted.toLowerCase();
}

/** Terminals that tell of keys that are let go of are not spoken to. */
export const isKeyRelease = (_data: string): boolean => false;
export const isKeyRepeat = (_data: string): boolean => false;
