import {
  type CommandArgs,
  type CommandHost,
  columns,
  isModelPattern,
  type Model,
  modelPattern,
  modelProblems,
  models,
} from 'kern/contracts';
import { visible } from 'kern/plugin';
import { priceText, shown, sizeText } from './words.ts';

/** `kern models list`, and `kern --list-models`. */
export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  await host.view.use(models).load();
  const all = await host.view.service(models).list(host.signal);
  const problems = host.view.use(modelProblems);
  await problems.load(host.signal);
  for (const { text } of problems.items()) host.say(visible(text));
  const words = args.positionals.flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');
  const found = matching(all, words).filter(({ available }) => args.options.available !== true || available);
  if (args.shared.json) {
    host.json({ models: found.map(shown) });
    return 0;
  }
  if (found.length === 0) {
    host.say(nothing(args, words));
    return 0;
  }
  const rows = found.map((model) => [
    model.available ? '*' : ' ',
    visible(model.id),
    sizeText(model.contextWindow),
    sizeText(model.maxOutput),
    model.thinking.some((level) => level !== 'off') ? 'yes' : '',
    model.input.includes('image') ? 'yes' : '',
    priceText(model.cost),
    visible(model.name),
  ]);
  const head = [' ', 'model', 'context', 'output', 'thinks', 'sees', '$ in/out', 'name'];
  for (const line of columns([head, ...rows])) host.print(line);
  const usable = found.filter(({ available }) => available).length;
  if (usable < found.length)
    host.say(`* can be used now: ${usable} of ${found.length}; the others need a key or a server: \`kern doctor\``);
  return 0;
}

function matching(all: readonly Model[], words: readonly string[]): readonly Model[] {
  const tests = words.map((word) => {
    if (isModelPattern(word)) return modelPattern(word);
    const lower = word.toLowerCase();
    return ({ id, name }: Model): boolean => id.toLowerCase().includes(lower) || name.toLowerCase().includes(lower);
  });
  return all.filter((model) => tests.every((test) => test(model)));
}

function nothing({ options }: CommandArgs, words: readonly string[]): string {
  if (words.length > 0) return `No ${options.available === true ? 'usable ' : ''}model matches ${words.join(' ')}.`;
  if (options.available === true) return 'No model can be used now. `kern doctor` says what is missing.';
  return 'No provider names a model. `kern doctor` says what is missing.';
}
