import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { type CommandArgs, type CommandHost, workbench } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';
import { editorConfig, packageFolder } from './editor.ts';
import { reportsOf } from './list.ts';

/** `kern plugins eject <id>`: the same files, as an extension of yours that says whose place it takes. */
export async function eject(args: CommandArgs, host: CommandHost): Promise<number> {
  const id = args.positionals[0] ?? '';
  const reports = await reportsOf(host);
  const builtins = reports.filter(({ level }) => level === 'builtin').map((report) => report.id);
  if (!builtins.includes(id)) {
    throw new KernError('plugin_unknown', `there is no built-in ${id}`, {
      hint: didYouMean(nearNames(id, builtins)) ?? '`kern plugins` lists them.',
    });
  }
  const bench = host.view.service(workbench);
  const why = bench.whyNotReplaced(id);
  if (why !== undefined) throw new KernError('not_ejectable', why);
  const { program, home } = bench;
  const source = path.join(program.root, 'plugins', ...id.split('.'));
  if (!existsSync(path.join(source, 'index.ts')))
    throw new KernError('not_ejectable', `${id} has no folder of its own`, {
      hint: `Its sources are in ${path.join(program.root, 'plugins')}.`,
    });
  const target = path.join(home, 'extensions', id);
  if (existsSync(target))
    throw new KernError('usage', `${target} is there already`, { hint: 'Move it away to eject the built-in again.' });
  const files = new Map(
    filesOf(source).map((file) => [file, adapted(file, readFileSync(path.join(source, file), 'utf8'), id)]),
  );
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    writeFileSync(path.join(target, file), text);
  }
  writeFileSync(path.join(target, 'tsconfig.json'), editorConfig(program.root));
  linkPackages(files, target, program.root);
  if (args.shared.json) host.json({ id, folder: target, files: [...files.keys()] });
  else
    for (const line of [
      `Copied ${id} to ${target}`,
      `It takes the place of the built-in, and what you save is live in the next turn of a running kern.`,
      'To go back, remove that folder.',
    ])
      host.print(line);
  return 0;
}

/** What a plugin is made of: not its tests, its contract or the plugins in folders below it. */
function filesOf(folder: string, below = ''): readonly string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(below, entry.name);
    if (entry.isDirectory()) {
      const isOther =
        ['test', 'e2e', 'fixtures', 'node_modules'].includes(entry.name) ||
        existsSync(path.join(folder, file, 'index.ts'));
      return isOther ? [] : filesOf(folder, file);
    }
    return /\.test\.ts$/.test(entry.name) || entry.name === 'contract.ts' || entry.name === 'api.ts' ? [] : [file];
  });
}

const specifier = /(\bfrom\s*|\bimport\s*\(\s*)(['"])([^'"]+)\2/g;

/** Contracts stay kern's: a copy of one would only be in the way. The entry says whose place it takes. */
function adapted(file: string, text: string, id: string): string {
  if (!/\.[cm]?[jt]s$/.test(file)) return text;
  const led = text.replace(specifier, (whole, before: string, quote: string, name: string) => {
    if (!name.startsWith('.')) return whole;
    if (/(^|\/)(contract|api)\.ts$/.test(name)) return `${before}${quote}kern/contracts${quote}`;
    if (path.posix.normalize(path.posix.join(path.posix.dirname(file), name)).startsWith('..')) {
      throw new KernError('not_ejectable', `${id} shares ${name} with its neighbours and cannot stand alone`);
    }
    return whole;
  });
  if (file !== 'index.ts') return led;
  // A table of places is named by the last part of its plugin's id.
  const name = /\bdiscoverer\(/.test(led) ? id.slice(id.lastIndexOf('.') + 1) : id;
  const own = new RegExp(`(\\bid:\\s*(['"])${name.replaceAll('.', '\\.')}\\2,?)`);
  if (!own.test(led))
    throw new KernError('not_ejectable', `the entry of ${id} does not name its id where it can be seen`);
  return led.replace(own, (matched) => `${matched.replace(/,$/, '')}, replaces: '${id}',`);
}

/** The packages that the copy imports are ours: they are linked beside it. */
function linkPackages(files: ReadonlyMap<string, string>, target: string, root: string): void {
  for (const name of new Set([...files.values()].flatMap(packagesIn))) {
    const folder = packageFolder(root, name);
    if (folder === undefined) continue;
    const link = path.join(target, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(folder, link, 'junction');
  }
}

function packagesIn(text: string): readonly string[] {
  const names = [...text.matchAll(specifier)].map(([, , , name = '']) => name);
  const packages = names.filter(
    (name) => !/^(\.|node:|kern(\/|$)|zod(\/|$))/.test(name) && !builtinModules.includes(name),
  );
  return packages.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
}
