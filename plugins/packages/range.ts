type Version = readonly [major: number, minor: number, patch: number, before: string];

interface Bound {
  readonly operator: '>=' | '<' | '>' | '<=' | '=';
  readonly version: Version;
}

/** Whether a version lies in a range, as npm writes them: `^1.2`, `>=1 <3`, `1.x || 2`, `*`. What is no range holds nothing. */
export function satisfies(version: string, range: string): boolean {
  const own = versionOf(version);
  if (own === undefined) return false;
  return range.split('||').some((part) => {
    const bounds = boundsOf(part.trim());
    return bounds?.every((bound) => holds(own, bound)) && isPreWanted(own, bounds);
  });
}

/** Negative where the first comes before the second. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [versionOf(a), versionOf(b)];
  return first === undefined || second === undefined ? 0 : compare(first, second);
}

const parts = /^v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function versionOf(text: string): Version | undefined {
  const [, major, minor, patch, before = ''] = parts.exec(text.trim()) ?? [];
  const numbers = [major, minor, patch].map(Number);
  return numbers.some((number) => !Number.isInteger(number))
    ? undefined
    : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, before];
}

function boundsOf(text: string): readonly Bound[] | undefined {
  if (text === '' || text === '*' || text === 'latest') return [];
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(text);
  const words =
    hyphen === null ? text.replace(/([<>=~^]+)\s+/g, '$1').split(/\s+/) : [`>=${hyphen[1]}`, `<=${hyphen[2]}`];
  const bounds = words.map(boundsOfWord);
  return bounds.some((bound) => bound === undefined) ? undefined : bounds.flatMap((bound) => bound ?? []);
}

function boundsOfWord(word: string): readonly Bound[] | undefined {
  const [, operator = '', rest = ''] = /^(\^|~>?|>=|<=|>|<|=)?(.*)$/.exec(word) ?? [];
  const [, ...said] = parts.exec(rest) ?? [];
  if (said[0] === undefined) return undefined;
  const given = said.slice(0, 3).map((part) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part)));
  const known = given.indexOf(undefined) < 0 ? 3 : given.indexOf(undefined);
  const [major = 0, minor = 0, patch = 0] = given;
  const low: Version = [major, minor, patch, known === 3 ? (said[3] ?? '') : ''];
  if (known === 0) return operator === '<' || operator === '>' ? [{ operator: '<', version: [0, 0, 0, '0'] }] : [];
  const after = next(low, known);
  const within = (end: Version): readonly Bound[] => [
    { operator: '>=', version: low },
    { operator: '<', version: end },
  ];
  switch (operator) {
    case '^':
      return within(next(low, major > 0 || known === 1 ? 1 : minor > 0 || known === 2 ? 2 : 3));
    case '~':
    case '~>':
      return within(next(low, known === 1 ? 1 : 2));
    case '>':
      return known === 3 ? [{ operator, version: low }] : [{ operator: '>=', version: after }];
    case '<=':
      return known === 3 ? [{ operator, version: low }] : [{ operator: '<', version: after }];
    case '>=':
    case '<':
      return [{ operator, version: low }];
    default:
      return known === 3 ? [{ operator: '=', version: low }] : within(after);
  }
}

/** The first version that differs in the part of that number. `-0` comes before all others of it. */
function next([major, minor, patch]: Version, part: number): Version {
  if (part === 1) return [major + 1, 0, 0, '0'];
  return part === 2 ? [major, minor + 1, 0, '0'] : [major, minor, patch + 1, '0'];
}

function holds(own: Version, { operator, version }: Bound): boolean {
  const order = compare(own, version);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    default:
      return order === 0;
  }
}

/** A version before a release is meant only by a range that names one of the same release. */
function isPreWanted([major, minor, patch, before]: Version, bounds: readonly Bound[]): boolean {
  if (before === '') return true;
  return bounds.some(
    ({ version: [a, b, c, pre] }) => pre !== '' && pre !== '0' && a === major && b === minor && c === patch,
  );
}

function compare(a: Version, b: Version): number {
  for (const at of [0, 1, 2] as const) if (a[at] !== b[at]) return a[at] - b[at];
  return compareBefore(a[3], b[3]);
}

function compareBefore(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [first, second] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const [one, other] = [first[at], second[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const [x, y] = [Number(one), Number(other)];
    if (Number.isInteger(x) && Number.isInteger(y)) return x - y;
    if (Number.isInteger(x) !== Number.isInteger(y)) return Number.isInteger(x) ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
