import { visible } from 'kern/plugin';
import { partKinds } from './parts.ts';
import { lifecycleOf, type Plan } from './plan.ts';
import { compareVersions } from './range.ts';
import { folderOf } from './shelf.ts';

/** What a person has to know of a package before it is taken. `ranBefore`: what the installed version runs. */
export function planLines(plan: Plan, ranBefore: readonly string[] | undefined): readonly string[] {
  const { about, locked, shelf, needs, scripted, leftOut, staged } = plan;
  const isNew = (line: string): string =>
    ranBefore === undefined || ranBefore.includes(line) ? line : `${line} (new)`;
  const brought = [
    about.entries.length === 0 ? '' : `extensions: ${about.entries.join(', ')}`,
    ...partKinds.flatMap(({ name }) =>
      about.brings[name] === undefined ? [] : [`${name}: ${about.brings[name].join(', ')}`],
    ),
  ].filter((line) => line !== '');
  const notRun = [...lifecycleOf(about), ...scripted.map((id) => `the script of ${id}`)];
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['', about.description === undefined ? [] : [about.description]],
    ['from', [locked.source]],
    ['is', locked.resolved === undefined || locked.resolved === locked.source ? [] : [locked.resolved]],
    ['integrity', locked.integrity === undefined ? [] : [locked.integrity]],
    ['content', locked.content === undefined ? [] : [locked.content]],
    [
      'lies in',
      [
        `${folderOf(shelf, about.name, locked)}${staged === undefined ? ', and is used there: what is edited there is live' : ''}`,
      ],
    ],
    ['replaces', replaced(plan)],
    ['brings', brought],
    ['runs', about.runs.map(isNew)],
    ['needs', needs],
    ['beside it', about.peers.map((peer) => `${peer}, which kern has not: it may not find it`)],
    ['not run', notRun],
    ['left out', leftOut],
    ['mind', about.warnings],
  ];
  return [
    visible(`${about.name} ${locked.version}`),
    ...rows.flatMap(([label, lines]) =>
      lines.map((line, at) => `  ${(at === 0 ? label : '').padEnd(10)} ${visible(line)}`),
    ),
  ];
}

/** What it takes the place of. What is there already, as it is, takes the place of nothing. */
function replaced({ about: { name }, locked, before }: Plan): readonly string[] {
  if (before === undefined) return [];
  const { version, source, content } = before;
  const isSame = content === locked.content && version === locked.version;
  if (isSame && (content !== undefined || source === locked.source)) return [];
  const order = compareVersions(locked.version, version);
  const note = order < 0 ? '; this one is OLDER' : order === 0 && !isSame ? '; this one has other files' : '';
  return [`${name} ${version} (${source})${note}`];
}

/** The same for programs. */
export function planJson({ about, locked, before, shelf, needs, scripted, leftOut }: Plan): object {
  const { source, version, resolved, integrity, content } = locked;
  return {
    name: about.name,
    version,
    level: shelf.level,
    source,
    resolved,
    integrity,
    content,
    folder: folderOf(shelf, about.name, locked),
    before: before?.version,
    entries: about.entries,
    brings: about.brings,
    runs: about.runs,
    needs,
    notRun: [...lifecycleOf(about), ...scripted],
    leftOut,
    warnings: about.warnings,
  };
}
