import { z } from 'zod';
import { defineTool } from './contract.ts';
import { problemsBySchema } from './foreign-schema.ts';
import { isRecord, type JsonSchema, shapeOf } from './json-schema.ts';
import { errorResult, textResult } from './result.ts';

/** How a conversation that was about one result ended. */
export type SubmittedResult =
  | { readonly status: 'success'; readonly data: unknown }
  | { readonly status: 'aborted'; readonly error: string };

const parameters = z.object({
  result: z.union([
    z.object({ data: z.unknown().describe('The result') }),
    z.object({ error: z.string().min(1).describe('Why there is none') }),
  ]),
});

/** The tool by which a subagent hands in what it was asked for. `schema`: what the result has to look like. */
export function submitResultTool(schema?: JsonSchema) {
  return defineTool<z.infer<typeof parameters>, SubmittedResult>({
    name: 'submit_result',
    description: `Hands in the result and ends the work: {data} with what was asked for, or {error} if it cannot be done. Call it once, at the end.${
      schema === undefined ? '' : ` data: ${shapeOf(schema)}`
    }`,
    parameters,
    hidden: true,
    effects: () => [],
    prepareArguments: wrapped,
    async execute(_id, { result }) {
      if ('error' in result) {
        return { ...textResult('Handed in: it could not be done.', gaveUp(result.error)), terminate: true };
      }
      const { data } = result;
      if (data === undefined || data === null)
        return errorResult(
          'Nothing was handed in: data is missing. Give {"result": {"data": …}}, or {"result": {"error": "why"}}.',
        );
      const problems = schema === undefined ? [] : await problemsBySchema(schema, data);
      if (schema !== undefined && problems.length > 0) {
        const lines = problems.map((problem) => `- data.${problem}`).join('\n');
        return errorResult(`Nothing was handed in: data is not right.\n${lines}\nRight shape: ${shapeOf(schema)}`);
      }
      return { ...textResult('Handed in.', { status: 'success', data } as SubmittedResult), terminate: true };
    },
  });
}

const gaveUp = (error: string): SubmittedResult => ({ status: 'aborted', error });

/** Models leave out the outer object, or the inner one. */
function wrapped(args: unknown): unknown {
  if (!isRecord(args)) return args;
  if (!('result' in args)) return 'data' in args || 'error' in args ? { result: args } : args;
  const { result } = args;
  const inner = typeof result === 'string' ? (jsonIn(result) ?? result) : result;
  const isWhole = isRecord(inner) && ('data' in inner || 'error' in inner);
  return { result: isWhole ? inner : { data: inner } };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
