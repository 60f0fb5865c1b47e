import { text } from 'node:stream/consumers';
import {
  type BlockedItem,
  type CommandArgs,
  type CommandHost,
  complaintLine,
  prepareToolCall,
  resultText,
  type ToolResult,
  tools,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { KernError, messageOf, nearNames, visible } from 'kern/plugin';
import { outputFolder } from './outputs.ts';

/** `kern tool call`: the same way a model's call goes, asked for by a person. */
export async function call(args: CommandArgs, host: CommandHost): Promise<number> {
  const { view, signal, stderr } = host;
  const [name = '', json = '{}'] = args.positionals;
  const input = parseArguments(json === '-' ? await text(host.stdin) : json, name);
  await Promise.all([view.use(tools).load(), view.use(workbench).load()]);
  // Not ended with the call: what it left floating fails a moment later.
  view.service(workbench).onComplaint((complaint) => host.say(complaintLine(complaint)));
  if (view.use(tools).get(name) === undefined) throw await unknownTool(name, host);
  const artifacts = async (): Promise<string> => outputFolder(view.where.home);
  const request = { name, args: input, callId: 'call', sessionId: 'none', by: 'person', signal, artifacts } as const;
  const prepared = await view.enter(() => prepareToolCall(view, request));
  // Progress is for someone who watches.
  const onUpdate = stderr.isTTY && !args.shared.json ? (partial: ToolResult) => host.say(lastLine(partial)) : undefined;
  const result = prepared.state === 'ready' ? await view.enter(() => prepared.execute(onUpdate)) : prepared.result;
  show(result, args, host);
  return result.isError === true ? 1 : 0;
}

function show(result: ToolResult, { shared }: CommandArgs, host: CommandHost): void {
  const { content, details, isError = false } = result;
  if (shared.json) {
    host.json({ content, ...(details === undefined ? {} : { details }), isError });
    return;
  }
  const shown = resultText(result);
  if (shown !== '') host.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

const lastLine = (partial: ToolResult): string => resultText(partial).trimEnd().split('\n').at(-1) ?? '';

function parseArguments(json: string, name: string): unknown {
  try {
    return JSON.parse(json.trim() === '' ? '{}' : json);
  } catch (error) {
    throw new KernError('usage', `the arguments are not JSON: ${messageOf(error)}`, {
      hint: `kern tool call ${name} '{"path": "README.md"}'`,
      cause: error,
    });
  }
}

/**
 * A tool may be missing because nobody trusted the file it stands in, or because that failed to load: that is another
 * matter than a slip.
 */
async function unknownTool(name: string, { view }: CommandHost): Promise<KernError> {
  const blocked = view.service(workbench).blocked();
  if (blocked.length > 0) {
    return new KernError(
      'untrusted',
      `there is no tool ${name}, and ${blocked.length === 1 ? 'an extension' : `${blocked.length} extensions`} of this project did not run because nobody trusted it:\n${blocked.map(blockedLine).join('\n')}`,
      {
        hint: 'Look at what they do; then `kern trust grant` trusts what is there now, and --trust does for one run.',
      },
    );
  }
  const names = view
    .use(tools)
    .items()
    .map((tool) => tool.name);
  const meant = nearNames(name, names);
  return new KernError('tool_unknown', `there is no tool ${name}`, {
    hint: [
      meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : `There is: ${names.join(', ')}`,
      ...(await failedLines(view.service(workbench))),
    ].join('\n'),
  });
}

async function failedLines(bench: Workbench): Promise<readonly string[]> {
  const failed = (await bench.plugins()).filter(({ state }) => state === 'failed');
  if (failed.length === 0) return [];
  return [
    'It may be a tool of what failed to load:',
    ...failed.map(({ id, level, source, failure }) => {
      const whose = level === 'builtin' ? id : source;
      const hint = failure?.hint === undefined ? '' : `\n    ${failure.hint}`;
      return `  ${whose}: ${failure?.message.replaceAll('\n', '\n    ') ?? 'it failed'}${hint}`;
    }),
  ];
}

const blockedLine = ({ path, state }: BlockedItem): string =>
  `  ${visible(path)}${state === 'changed' ? ' (changed since it was trusted)' : ''}`;
