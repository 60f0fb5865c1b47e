import { isatty } from 'node:tty';
import { type CommandArgs, type CommandHost, terminalUi } from 'kern/contracts';
import { KernError, messageOf, visible } from 'kern/plugin';
import { fileOf, sessionsOf } from './opened.ts';

export async function remove(args: CommandArgs, host: CommandHost): Promise<number> {
  const { json } = args.shared;
  // All are found before the first is deleted: a slip in the last one deletes nothing.
  const files = new Set<string>();
  for (const wanted of args.positionals) files.add(await fileOf(wanted, args, host));
  const known = await sessionsOf(host);
  if (args.options.yes !== true && !(await isWanted([...files], json, host))) {
    host.say('Nothing was deleted.');
    return 1;
  }
  const removed: string[] = [];
  const failures: { readonly file: string; readonly message: string }[] = [];
  for (const file of files) {
    try {
      await known.remove(file);
      removed.push(file);
    } catch (error) {
      failures.push({ file, message: messageOf(error) });
    }
  }
  if (json) host.json({ removed, failures });
  else {
    for (const file of removed) host.print(`deleted ${visible(file)}`);
    for (const { message } of failures) host.say(`kern: ${visible(message)}`);
  }
  return failures.length === 0 ? 0 : 1;
}

async function isWanted(files: readonly string[], json: boolean, host: CommandHost): Promise<boolean> {
  if (json || !isatty(0) || !host.stderr.isTTY)
    throw new KernError('usage', 'nobody is here to say yes to deleting a session', { hint: 'Give --yes.' });
  const ui = terminalUi(host.stdin, host.stderr);
  const what = files.length === 1 ? 'Delete this session?' : `Delete these ${files.length} sessions?`;
  return (await ui.confirm(what, files.map((file) => `  ${visible(file)}`).join('\n'))) === true;
}
