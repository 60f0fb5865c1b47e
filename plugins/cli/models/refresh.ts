import { type CommandArgs, type CommandHost, columns, models } from 'kern/contracts';
import { visible } from 'kern/plugin';

/** `kern models refresh [provider…]`. */
export async function refresh(args: CommandArgs, host: CommandHost): Promise<number> {
  await host.view.use(models).load();
  const { positionals } = args;
  const reports = await host.view
    .service(models)
    .refresh({ signal: host.signal, ...(positionals.length === 0 ? {} : { providers: positionals }) });
  const isFailed = reports.length > 0 && reports.every(({ found }) => typeof found !== 'number');
  if (args.shared.json) {
    host.json({
      reports: reports.map(({ provider, from, found }) =>
        typeof found === 'number'
          ? { provider, from, models: found, error: null }
          : { provider, from, models: null, error: found.failed },
      ),
    });
    return isFailed ? 1 : 0;
  }
  if (reports.length === 0) {
    host.say('Nobody can be asked: modelCatalog is false, no key is set, and no local server answers.');
    return 0;
  }
  const rows = reports.map(({ provider, from, found }) => [
    provider === '*' ? 'catalogue' : provider,
    typeof found === 'number' ? `${found} models` : '-',
    from,
    typeof found === 'number' ? '' : visible(found.failed),
  ]);
  for (const line of columns(rows)) host.print(line);
  return isFailed ? 1 : 0;
}
