import { type Command, type Workbench, workbench } from 'kern/contracts';
import { type Context, didYouMean, KernError, nearNames } from 'kern/plugin';

const pagesOf = (root: string): string => `${root}/plugins/docs/pages`;

/** It sleeps until somebody needs it. */
async function benchOf(ctx: Context, signal: AbortSignal): Promise<Workbench> {
  await ctx.use(workbench).load(signal);
  return ctx.service(workbench);
}

/** `kern docs [page]`. */
export const docs: Command = {
  path: ['docs'],
  summary: 'Print a page of the documentation, or list the pages.',
  group: 'Look',
  positionals: [{ name: 'page', summary: 'The name of a page, as `kern docs` lists it.' }],
  examples: [
    ['List the pages', 'kern docs'],
    ['Read how to write an extension', 'kern docs extensions'],
  ],
  json: true,
  boots: 'builtins',
  async run(ctx, { positionals: [name], shared }, host) {
    const { listPages, readPage } = await import('./pages.ts');
    const { program } = await benchOf(ctx, host.signal);
    const pages = await listPages(pagesOf(program.root));
    if (name === undefined) {
      if (shared.json) host.json({ pages });
      else for (const page of pages) host.print(`${page.name.padEnd(16)}  ${page.title}`);
      return 0;
    }
    const page = pages.find((one) => one.name === name.replace(/\.md$/, ''));
    if (page === undefined) {
      const names = pages.map((one) => one.name);
      throw new KernError('usage', `there is no page ${name}`, {
        hint: didYouMean(nearNames(name, names, { edits: 3 })) ?? '`kern docs` lists the pages.',
      });
    }
    const text = await readPage(page.file);
    if (shared.json) host.json({ ...page, text });
    else host.print(text.trimEnd());
    return 0;
  },
};

/** `kern docs generate`: what `npm run docs` runs. */
export const docsGenerate: Command = {
  path: ['docs', 'generate'],
  summary: 'Write the generated parts of the pages, and schemas/ (in a checkout).',
  group: 'Look',
  options: [
    { name: 'check', names: ['--check'], kind: 'boolean', summary: 'Write nothing; exit 1 where something is old.' },
  ],
  examples: [
    ['Bring the pages up to date', 'kern docs generate'],
    ['See whether they are', 'kern docs generate --check'],
  ],
  json: true,
  boots: 'builtins',
  async run(ctx, { options, shared }, host) {
    const { generate, writeAll } = await import('./generate.ts');
    const bench = await benchOf(ctx, host.signal);
    const old = (await generate(ctx, bench, host)).filter(({ isOld }) => isOld);
    const isCheck = options['check'] === true;
    if (!isCheck) await writeAll(old);
    const files = old.map(({ name }) => name);
    if (shared.json) host.json(isCheck ? { old: files } : { written: files });
    else for (const file of files) host.print(file);
    if (isCheck && files.length > 0) host.say('These files are old. `npm run docs` writes them anew.');
    else if (!shared.json) host.say(files.length === 0 ? 'Everything is up to date.' : `${files.length} written.`);
    return isCheck && files.length > 0 ? 1 : 0;
  },
};
