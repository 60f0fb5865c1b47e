import { type CommandArgs, type CommandHost, workbench } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';

export async function set(args: CommandArgs, host: CommandHost): Promise<number> {
  const [key = '', text] = args.positionals;
  const level = args.options.project === true ? 'project' : 'user';
  const isUnset = args.options.unset === true;
  if (isUnset === (text !== undefined)) {
    throw new KernError('usage', isUnset ? '--unset takes no value' : `kern config set ${key} needs a value`, {
      hint: `kern config set ${key} <value>, or kern config set ${key} --unset`,
    });
  }
  await host.view.use(workbench).load();
  const { config } = host.view.service(workbench);
  const file = text === undefined ? await config.unset(key, level) : await config.set(key, await parsed(text), level);
  const value = await config.get(key);
  if (args.shared.json) host.json({ file, key, value: value.value ?? null, origin: value.origin });
  else host.print(`${file}: ${key} ${text === undefined ? 'taken out' : `= ${JSON.stringify(value.value)}`}`);
  if (value.origin.layer !== level && value.origin.layer !== 'default') {
    host.say(`kern: ${value.origin.layer} sets ${key} too, and counts: ${JSON.stringify(value.value)}`);
  }
  return 0;
}

async function parsed(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(text);
    // Nothing, a tilde and `null` mean the text that was typed: unset is how a value is taken out.
    return value === null || value === undefined ? text : value;
  } catch (error) {
    throw new KernError('usage', `the value is not YAML: ${messageOf(error).split('\n', 1)[0]}`, {
      hint: `Put text with special characters in quotes: '"${text}"'`,
      cause: error,
    });
  }
}
