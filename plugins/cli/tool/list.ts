import { type CommandArgs, type CommandHost, columns, tools } from 'kern/contracts';

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
      })),
    });
    return 0;
  }
  for (const line of columns(
    entries.map(({ item, origin }) => [item.name, origin.plugin, firstLine(item.description)]),
  ))
    host.print(line);
  return 0;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
