import { didYouMean, isPluginId, nearNames } from 'kern/plugin';
import type { ParsedFile } from './code.ts';
import { error, type Finding, lineAt, warning } from './findings.ts';

/** What is taken already. */
export interface Taken {
  readonly plugins: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
  readonly slashCommands: ReadonlySet<string>;
  /** Verbs of the command line, their words put together by blanks. */
  readonly commands: ReadonlySet<string>;
}

/** What the code says it registers, as far as that can be told without running it. */
export interface Registered {
  readonly ids: readonly string[];
  readonly tools: readonly string[];
  readonly slashCommands: readonly string[];
  readonly commands: readonly string[];
  readonly flags: readonly string[];
  readonly programs: readonly string[];
}

interface Named {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

/** Comments are gone from the code, so that nothing in them counts. */
function all(files: readonly ParsedFile[], pattern: RegExp): readonly Named[] {
  return files.flatMap(({ file, code }) =>
    [...code.matchAll(pattern)].map((found) => ({
      name: found[2] ?? '',
      file,
      line: lineAt(code, found.index + found[0].length),
    })),
  );
}

const text = `(['"\`])((?:(?!\\1)[^\\\\\\n$])+)\\1`;
const within = '[^{}]*?';
const patterns = {
  tools: new RegExp(
    `(?:contribute\\(\\s*(?:\\w+\\.)?tools\\s*,\\s*|registerTool\\(\\s*)\\{${within}\\bname:\\s*${text}`,
    'g',
  ),
  slashCommands: new RegExp(
    `(?:contribute\\(\\s*(?:\\w+\\.)?slashCommands\\s*,\\s*\\{${within}\\bname:\\s*|registerCommand\\(\\s*)${text}`,
    'g',
  ),
  flags: new RegExp(
    `(?:contribute\\(\\s*(?:\\w+\\.)?flags\\s*,\\s*\\{${within}\\bname:\\s*|registerFlag\\(\\s*)${text}`,
    'g',
  ),
  programs: new RegExp(`(?:\\bctx\\.spawn|\\bpi\\.exec|\\bapi\\.exec)\\(\\s*${text}`, 'g'),
  ids: new RegExp(`definePlugin\\)?\\(\\s*\\{${within}\\bid:\\s*${text}`, 'g'),
  plainIds: new RegExp(`exports\\.default\\s*=\\s*\\{${within}\\bid:\\s*${text}`, 'g'),
};
const paths = /contribute\(\s*(?:\w+\.)?commands\s*,\s*\{[^{}]*?\bpath:\s*\[([^\]]*)\]/g;

/** Looks through the names that files register, and answers them. */
export function lookAtNames(
  files: readonly ParsedFile[],
  taken: Taken,
): { readonly registered: Registered; readonly findings: readonly Finding[] } {
  const ids = [...all(files, patterns.ids), ...all(files, patterns.plainIds)];
  const tools = all(files, patterns.tools);
  const slash = all(files, patterns.slashCommands);
  const verbs = files.flatMap(({ file, code }) =>
    [...code.matchAll(paths)].map((found) => ({
      name: [...(found[1] ?? '').matchAll(/['"`]([^'"`]*)['"`]/g)].map(([, word]) => word).join(' '),
      file,
      line: lineAt(code, found.index + found[0].length),
    })),
  );
  const findings = [
    ...ids.flatMap((id) => idFindings(id, files, taken)),
    ...tools.flatMap((tool) => toolFindings(tool, taken)),
    ...slash
      .filter(({ name }) => !/^[^\s/]\S*$/.test(name))
      .map((one) =>
        error(
          'name_illegal',
          one,
          `${JSON.stringify(one.name)} is no name of a slash command`,
          'No blanks, and no slash at the start.',
        ),
      ),
    ...verbs
      .filter(({ name }) => taken.commands.has(name))
      .map((one) =>
        warning(
          'name_taken',
          one,
          `kern ${one.name} is there already: yours takes its place`,
          'Choose another one, unless that is what you want.',
        ),
      ),
    ...slash
      .filter(({ name }) => taken.slashCommands.has(name))
      .map((one) =>
        warning(
          'name_taken',
          one,
          `/${one.name} is there already: one of them is shadowed`,
          'Choose another name, unless that is what you want.',
        ),
      ),
    ...twice('plugin', ids),
    ...twice('tool', tools),
    ...twice('slash command', slash),
  ];
  const names = (list: readonly Named[]): readonly string[] => [...new Set(list.map(({ name }) => name))].sort();
  return {
    registered: {
      ids: names(ids),
      tools: names(tools),
      slashCommands: names(slash),
      commands: names(verbs),
      flags: names(all(files, patterns.flags)),
      programs: names(all(files, patterns.programs)),
    },
    findings,
  };
}

function idFindings(id: Named, files: readonly ParsedFile[], { plugins }: Taken): readonly Finding[] {
  if (!isPluginId(id.name))
    return [
      error(
        'id_illegal',
        id,
        `${JSON.stringify(id.name)} is no id of a plugin`,
        'Letters, digits, dots, dashes and _, at most 64; a letter or a digit first.',
      ),
    ];
  const says = files.find(({ file }) => file === id.file)?.code ?? '';
  if (!plugins.has(id.name) || /\breplaces:/.test(says)) return [];
  return [
    error(
      'id_taken',
      id,
      `${id.name} is the id of a built-in`,
      `Choose another one; or, to take its place: replaces: '${id.name}'`,
    ),
  ];
}

function toolFindings(tool: Named, { tools }: Taken): readonly Finding[] {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name))
    return [
      error(
        'name_illegal',
        tool,
        `${JSON.stringify(tool.name)} is no name of a tool`,
        'Letters, digits, _ and -, at most 64.',
      ),
    ];
  if (tools.has(tool.name))
    return [
      warning(
        'name_taken',
        tool,
        `the tool ${tool.name} is there already: yours takes its place`,
        'Choose another name, unless that is what you want.',
      ),
    ];
  return [];
}

/** Of one package: between packages the order decides, here nobody could say which is meant. */
function twice(what: string, list: readonly Named[]): readonly Finding[] {
  return list.flatMap((one, at) => {
    const first = list.findIndex(({ name }) => name === one.name);
    return first === at
      ? []
      : [
          error(
            'name_twice',
            one,
            `the ${what} ${one.name} is there twice`,
            `The other one: ${list[first]?.file}:${list[first]?.line}`,
          ),
        ];
  });
}

/** What the default export of an entry is; a finding where it is nothing that kern loads. */
export function defaultExport({ file, code }: ParsedFile): {
  readonly shape: 'plugin' | 'function' | 'unknown';
  readonly finding?: Finding;
} {
  const value = /(?:exports\.default|module\.exports)\s*=(?!\s*void 0)\s*([\s\S]{0,4000})/.exec(code);
  if (value === null) {
    const none = error(
      'no_default',
      { file, line: 1 },
      'exports nothing by default',
      "export default definePlugin({ id: '…', setup(ctx) { … } })",
    );
    return { shape: 'unknown', finding: none };
  }
  const named = /^\s*([A-Za-z_]\w*)\s*;/.exec(value[1] ?? '')?.[1];
  const body =
    named === undefined
      ? (value[1] ?? '')
      : (new RegExp(`\\b(?:var|let|const|function|class)\\s+${named}\\b\\s*=?([\\s\\S]{0,4000})`).exec(code)?.[0] ??
        '');
  if (/^\s*(?:\(0,\s*)?[\w.]*definePlugin\b/.test(body) || /definePlugin\)?\(/.test(body.slice(0, 200)))
    return { shape: 'plugin' };
  if (/^\s*(?:(?:var|let|const)\s+\w+\s*=\s*)?(?:async\s+)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)/.test(body))
    return { shape: 'function' };
  if (/\bsetup\s*[(:]/.test(body))
    return /\bid\s*:/.test(body)
      ? { shape: 'plugin' }
      : {
          shape: 'unknown',
          finding: error('no_id', { file }, 'its plugin has no id', "definePlugin({ id: '…', setup(ctx) { … } })"),
        };
  if (/^\s*(?:['"`\d{[]|class\b|class\s|true|false|null|void)/.test(body))
    return {
      shape: 'unknown',
      finding: error(
        'no_plugin',
        { file },
        'its default export is no plugin and no function',
        "export default definePlugin({ id: '…', setup(ctx) { … } })",
      ),
    };
  return { shape: 'unknown' };
}

/** Fields of the `kern` part of a package.json that kern does not read. */
export function unknownFields(
  manifest: Readonly<Record<string, unknown>>,
  known: readonly string[],
): readonly { readonly name: string; readonly hint: string }[] {
  return Object.keys(manifest)
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, hint: didYouMean(nearNames(name, known)) ?? `There is: ${known.join(', ')}` }));
}
