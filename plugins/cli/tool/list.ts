import { type AnyTool, type CommandArgs, type CommandHost, columns, tools } from 'kern/contracts';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const reader = host.view.use(tools);
  await reader.load();
  const entries = reader.entries().filter(({ verdict }) => verdict.state === 'won');
  if (args.shared.json) {
    host.json({
      tools: entries.map(({ item, origin }) => ({
        name: item.name,
        description: item.description,
        origin,
        annotations: item.annotations ?? {},
        offered: offered(item),
      })),
    });
    return 0;
  }
  for (const line of columns(
    entries.map(({ item, origin }) => [item.name, origin.plugin, `${mark(item)}${firstLine(item.description)}`]),
  ))
    host.print(line);
  return 0;
}

/** Whether a model is offered a tool without more, or only when people or other tools bring it in. */
function offered({ hidden, defaultActive }: AnyTool): 'always' | 'when needed' | 'when asked for' {
  if (hidden === true) return 'when needed';
  return defaultActive === false ? 'when asked for' : 'always';
}

const mark = (tool: AnyTool): string => (offered(tool) === 'always' ? '' : `[${offered(tool)}] `);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
