import type { Message, ModelRequest } from 'kern/contracts';
import type { Expectation } from './turn.ts';

/** What a request lacks of what a turn expects, as lines of a diff; none when all is there. */
export function unmet(expected: Expectation, request: ModelRequest): readonly string[] {
  return [
    ...toolsUnmet(expected, request),
    ...(expected.last === undefined ? [] : textUnmet('last', expected.last, textOf(request.messages.at(-1)))),
    ...(expected.toolResult ?? []).flatMap((result) => resultUnmet(result, request)),
    ...(expected.system === undefined ? [] : textUnmet('system', expected.system, systemOf(request))),
  ];
}

function toolsUnmet({ tools, noTools }: Expectation, request: ModelRequest): readonly string[] {
  const came = request.tools.map(({ name }) => name);
  const missing = (tools ?? []).filter((name) => !came.includes(name));
  const unwanted = (noTools ?? []).filter((name) => came.includes(name));
  const list = came.length === 0 ? 'no tools' : came.join(', ');
  return [
    ...(missing.length === 0
      ? []
      : difference('tools', `${(tools ?? []).join(', ')} (missing: ${missing.join(', ')})`, list)),
    ...(unwanted.length === 0 ? [] : difference('noTools', `not ${unwanted.join(', not ')}`, list)),
  ];
}

function resultUnmet(
  expected: NonNullable<Expectation['toolResult']>[number],
  request: ModelRequest,
): readonly string[] {
  const results = request.messages.filter((message) => message.role === 'toolResult');
  const fits = results.some(
    (result) =>
      (expected.tool === undefined || result.toolName === expected.tool) &&
      (expected.isError === undefined || result.isError === expected.isError) &&
      (expected.contains === undefined || matches(expected.contains, textOf(result))),
  );
  if (fits) return [];
  const came = results.map(
    (result) => `${result.toolName}${result.isError ? ' (error)' : ''}: ${shortened(textOf(result))}`,
  );
  return difference('toolResult', describeResult(expected), ...(came.length === 0 ? ['no results'] : came));
}

function describeResult({
  tool,
  contains,
  isError,
}: {
  tool?: string | undefined;
  contains?: string | undefined;
  isError?: boolean | undefined;
}): string {
  const kind = isError === undefined ? 'a result' : isError ? 'an error' : 'a result that is no error';
  return `${kind}${tool === undefined ? '' : ` of ${tool}`}${contains === undefined ? '' : ` with ${quoted(contains)}`}`;
}

function textUnmet(name: string, expected: string, came: string): readonly string[] {
  return matches(expected, came) ? [] : difference(name, quoted(expected), shortened(came));
}

/** `/…/` is a regular expression, flags may follow; anything else is part of the text. */
function matches(expected: string, text: string): boolean {
  const pattern = asPattern(expected);
  return pattern === undefined ? text.includes(expected) : pattern.test(text);
}

function asPattern(expected: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([dimsuv]*)$/s.exec(expected) ?? [];
  try {
    return source === undefined ? undefined : new RegExp(source, flags);
  } catch {
    return undefined; // a path, or some other text between slashes
  }
}

/** The system prompt, and what was announced after it. */
function systemOf(request: ModelRequest): string {
  const announced = request.messages.filter((message) => message.role === 'custom').map(textOf);
  return [request.systemPrompt, ...announced].join('\n');
}

function textOf(message: Message | undefined): string {
  const parts = message?.content ?? [];
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function difference(name: string, expected: string, ...came: readonly string[]): readonly string[] {
  return [`  ${name}`, `  - expected: ${expected}`, ...came.map((one) => `  + came:     ${one}`)];
}

function quoted(text: string): string {
  return asPattern(text) === undefined ? JSON.stringify(text) : text;
}

/** The end of a long text tells more than its beginning. */
function shortened(text: string): string {
  return JSON.stringify(text.length > 400 ? `…${text.slice(-400)}` : text);
}
