// A command, and an option of a run: `kern outline README.md`, and `kern -p --audience "a beginner" "explain this"`.
// Both stand in --help; the option is read where it is of use.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, flags, systemPrompt } from 'kern/contracts';
import { definePlugin, KernError } from 'kern/plugin';

export default definePlugin({
  id: 'outline',
  setup(ctx) {
    ctx.contribute(commands, {
      path: ['outline'],
      summary: 'Prints the headings of a Markdown file.',
      examples: [['Of the README', 'kern outline README.md']],
      options: [{ name: 'depth', names: ['--depth'], kind: 'string', value: '<n>', summary: 'How deep. Default 6.' }],
      positionals: [{ name: 'file', required: true, summary: 'A Markdown file' }],
      json: true,
      async run(_ctx, { positionals: [file = ''], options, shared }, host) {
        const text = await readFile(path.resolve(shared.cwd, file), 'utf8').catch((cause: unknown) => {
          throw new KernError('outline_unreadable', `${file} cannot be read`, { hint: 'Name another file.', cause });
        });
        const deepest = Number(options.depth ?? 6);
        const headings = text.split('\n').filter((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 7) <= deepest);
        if (shared.json) host.json({ file, headings });
        else for (const heading of headings) host.print(heading);
        return 0;
      },
    });

    let audience: string | undefined;
    ctx.contribute(flags, {
      name: 'audience',
      kind: 'string',
      value: '<who>',
      summary: 'For whom the answer is written.',
      apply: (who) => {
        audience = String(who);
      },
    });
    ctx.tap(systemPrompt, (value) => {
      if (audience === undefined) return undefined;
      return { ...value, sections: [...value.sections, { id: 'audience', text: `Write for ${audience}.` }] };
    });
  },
});
