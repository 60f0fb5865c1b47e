import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CommandArgs, type CommandHost, tools, workbench } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { reportsOf } from './list.ts';
import { extensionFiles } from './templates.ts';

/** `kern plugins new <name>`. */
export async function create(args: CommandArgs, host: CommandHost): Promise<number> {
  const name = args.positionals[0] ?? '';
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    throw new KernError('usage', `${JSON.stringify(name)} is no name for an extension`, {
      hint: 'Lower-case letters, digits and dashes, at most 40, a letter first: weather',
    });
  }
  if ((await reportsOf(host)).some(({ id, level }) => id === name && level === 'builtin')) {
    throw new KernError('usage', `${name} is the name of a built-in`, { hint: 'Choose another one.' });
  }
  const tool = toolOf(name);
  const known = host.view.use(tools);
  await known.load(host.signal, tool);
  if (known.get(tool)?.origin.level === 'builtin') {
    throw new KernError(
      'usage',
      `${tool} is the name of a built-in tool, and the tool of ${name} would take its place`,
      {
        hint: `Choose another one: kern plugins new my-${name}`,
      },
    );
  }
  const { home, root, program } = host.view.service(workbench);
  const isUsers = args.options.user === true;
  const folder = path.join(isUsers ? home : path.join(root, '.kern'), 'extensions', name);
  if (existsSync(folder))
    throw new KernError('usage', `${folder} is there already`, { hint: 'Choose another name, or move it away.' });
  const files = extensionFiles(name, program.root, program.version);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text, { flag: 'wx' });
  if (args.shared.json) host.json({ name, folder, files: Object.keys(files) });
  else tellNext(name, path.relative(host.view.where.cwd, folder) || folder, isUsers, files, host);
  return 0;
}

const toolOf = (name: string): string => name.replaceAll('-', '_');

function tellNext(
  name: string,
  folder: string,
  isUsers: boolean,
  files: Readonly<Record<string, string>>,
  host: CommandHost,
): void {
  const tool = toolOf(name);
  const shown = folder.startsWith('..') ? path.resolve(host.view.where.cwd, folder) : folder;
  const call = `kern tool call ${tool} '{"place": "Oslo"}'`;
  const lines = [
    `Made ${shown}: ${Object.keys(files).join(', ')}`,
    '',
    'Next:',
    `  kern plugins test ${shown}`,
    `  kern plugins lint ${shown}`,
    `  ${call}${isUsers ? '' : ' --trust'}`,
    `  edit ${path.join(shown, 'index.ts')}: what is saved while kern runs is live in its next turn`,
    ...(isUsers
      ? []
      : [`  kern trust grant --item plugin:${name}   trusts it as it is; what is changed is asked about again`]),
  ];
  for (const line of lines) host.print(line);
}
