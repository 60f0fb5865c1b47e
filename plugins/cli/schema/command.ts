import { type Command, columns, schemas } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';

export const schema: Command = {
  path: ['schema'],
  group: 'Look',
  summary: 'JSON Schema of what kern reads and writes: config, scripts, tools, sessions, …',
  details: 'For editors: put the address of the printed file into a comment or setting that your editor understands.',
  json: true,
  positionals: [{ name: 'name', summary: 'Which one; without it they are listed' }],
  examples: [
    ['List them', 'kern schema'],
    ['What may stand in config.yml', 'kern schema config'],
  ],
  run: async (_ctx, args, { view, json, print }) => {
    const reader = view.use(schemas);
    await reader.load();
    const [name] = args.positionals;
    const known = [...reader.items()].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (name === undefined) {
      if (args.shared.json) json({ schemas: known.map((source) => ({ name: source.name, summary: source.summary })) });
      else for (const line of columns(known.map((source) => [source.name, source.summary]))) print(line);
      return 0;
    }
    const source = reader.get(name);
    if (source === undefined) {
      const names = known.map((one) => one.name);
      throw new KernError('schema_unknown', `there is no schema ${name}`, {
        hint: didYouMean(nearNames(name, names)) ?? `There is: ${names.join(', ')}`,
      });
    }
    json(await view.run(source, (item) => item.make(view)));
    return 0;
  },
};
