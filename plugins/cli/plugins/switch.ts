import { type CommandArgs, type CommandHost, workbench } from 'kern/contracts';

export async function turn(on: boolean, args: CommandArgs, host: CommandHost): Promise<number> {
  const id = args.positionals[0] ?? '';
  await host.view.use(workbench).load();
  const file = await host.view
    .service(workbench)
    .switchPlugin(id, on, args.options.project === true ? 'project' : 'user');
  if (args.shared.json) host.json({ id, state: on ? 'on' : 'off', file });
  else host.print(`${id} is ${on ? 'on' : 'off'} (${file})`);
  return 0;
}
