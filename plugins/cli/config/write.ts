import { type CommandArgs, type CommandHost, models, workbench } from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';

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
  const isStray = isUnset && (await config.problems()).some((one) => one.key === key);
  const file = text === undefined ? await config.unset(key, level) : await config.set(key, await parsed(text), level);
  if (isStray) return tellTakenOut(key, file, args, host); // nothing reads it: it has no value to tell
  const value = await config.get(key);
  if (args.shared.json) host.json({ file, key, value: value.value ?? null, origin: value.origin });
  else host.print(`${file}: ${key} ${text === undefined ? 'taken out' : `= ${JSON.stringify(value.value)}`}`);
  if (value.origin.layer !== level && value.origin.layer !== 'default') {
    host.say(`kern: ${value.origin.layer} sets ${key} too, and counts: ${JSON.stringify(value.value)}`);
  }
  const doubt = key === 'model' && typeof value.value === 'string' ? await doubtOf(value.value, host) : undefined;
  if (doubt !== undefined) host.say(`kern: ${doubt}`);
  return 0;
}

function tellTakenOut(key: string, file: string, args: CommandArgs, host: CommandHost): number {
  if (args.shared.json) host.json({ file, key, value: null });
  else host.print(`${file}: ${key} taken out`);
  return 0;
}

/** Why a name is no model's now. It is kept all the same: a server that has the model may not be running. */
async function doubtOf(name: string, { view, signal }: CommandHost): Promise<string | undefined> {
  await view.use(models).load();
  try {
    await view.service(models).find(name, signal);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'model_unknown' && codeOf(error) !== 'model_ambiguous') return undefined;
    const hint = error instanceof KernError && error.hint !== undefined ? ` — ${error.hint}` : '';
    return `${messageOf(error)}${hint}`;
  }
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
