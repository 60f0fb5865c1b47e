import { type CommandArgs, type CommandHost, columns, type Model, models } from 'kern/contracts';

/** `kern --list-models [search]`: every model that some provider names, with what would make it usable. */
export async function listModels(args: CommandArgs, host: CommandHost): Promise<number> {
  await host.view.use(models).load();
  const all = await host.view.service(models).list(host.signal);
  const wanted = args.positionals.join(' ').toLowerCase();
  const found = all.filter(({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
  if (args.shared.json) {
    host.json({ models: found.map(shown) });
    return 0;
  }
  if (found.length === 0) {
    host.say(
      wanted === '' ? 'No provider names a model. `kern doctor` says what is missing.' : `No model matches ${wanted}.`,
    );
    return 0;
  }
  const rows = found.map((model) => [
    model.available ? '*' : ' ',
    model.id,
    model.name,
    size(model.contextWindow),
    price(model),
  ]);
  for (const line of columns([[' ', 'model', 'name', 'context', '$ in/out a million'], ...rows])) host.print(line);
  if (found.some(({ available }) => !available))
    host.say('* can be used now; the others need a key or a server: `kern doctor`');
  return 0;
}

function shown({ id, name, contextWindow, maxOutput, input, thinking, cost, available }: Model): object {
  return { id, name, contextWindow, maxOutput, input, thinking, cost, available };
}

const size = (tokens: number): string =>
  tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}k`;
const price = ({ cost }: Model): string => (cost === null ? '-' : `${cost.input}/${cost.output}`);
