import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, KernError, makeFolder } from 'kern/plugin';
import { partsOf } from './content.ts';
import { changeLock, type Locked, lockFileOf, readLock, type Shelf } from './lock.ts';
import { type Plan, stagingOf } from './plan.ts';
import { isKnown, modulesOf, remember } from './seals.ts';
import { pathOfSource } from './source.ts';

/** What was left behind by what was cut short, or what a session may still use, is kept for a day. */
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Where a package lies: its version and its content are part of the name, so that no version takes another's files away. */
export function folderOf(shelf: Shelf, name: string, locked: Locked): string {
  if (locked.content === undefined) return pathOfSource(locked.source, shelf.base);
  const content = locked.content.slice('sha256-'.length, 'sha256-'.length + 12);
  return path.join(shelf.folder, name.replace('/', '+'), `${locked.version}-${content}`);
}

/** Takes what was fetched: one rename brings the files, and one the lock file; before the second nothing has changed. */
export async function take(plan: Plan, home: string): Promise<string> {
  const { shelf, about, locked, staged } = plan;
  await ready(shelf);
  const folder = folderOf(shelf, about.name, locked);
  await changeLock(shelf, async (lock) => {
    if (staged !== undefined) {
      await bring(path.join(staged, 'package'), folder, staged);
      await remember(home, folder, locked);
    }
    const before = lock.get(about.name);
    if (before !== undefined) await leave(folderOf(shelf, about.name, before), folder);
    lock.set(about.name, locked);
  });
  await sweep(shelf);
  return folder;
}

async function bring(from: string, to: string, staged: string): Promise<void> {
  await makeFolder(path.dirname(to));
  // It lies there already, perhaps not as it was: what was just fetched counts.
  if (existsSync(to)) await rename(to, path.join(staged, 'replaced'));
  await rename(from, to);
}

/** From now on its age counts: sessions that run may need its files for a while. */
async function leave(folder: string, next: string): Promise<void> {
  const now = new Date();
  if (folder !== next && existsSync(folder)) await utimes(folder, now, now).catch(() => undefined); // then it goes earlier
}

/** Takes a package off the shelf. */
export async function takeOff(shelf: Shelf, name: string): Promise<Locked> {
  const gone = await changeLock(shelf, (lock) => {
    const locked = lock.get(name);
    if (locked === undefined) throw unknown(name, shelf);
    lock.delete(name);
    return locked;
  });
  if (gone.content !== undefined) await rm(path.dirname(folderOf(shelf, name, gone)), { recursive: true, force: true });
  await sweep(shelf);
  return gone;
}

export const unknown = (name: string, shelf: Shelf): KernError =>
  new KernError(
    'package_unknown',
    `no package ${name} is installed ${shelf.level === 'user' ? 'for you' : 'in this project'}`,
    {
      hint:
        [...readLock(shelf).keys()].length === 0
          ? '`kern plugins list` names those that are.'
          : `There is: ${[...readLock(shelf).keys()].join(', ')}`,
    },
  );

/** Makes the folder. Of a project it has to be one of the project: a link would lead what is written elsewhere. */
async function ready(shelf: Shelf): Promise<void> {
  if (shelf.level === 'project') {
    for (const folder of [path.dirname(shelf.folder), shelf.folder]) {
      const found = lstatSync(folder, { throwIfNoEntry: false });
      if (found !== undefined && !found.isDirectory())
        throw new KernError('package_place', `${folder} is no folder of this project`, {
          hint: 'Look at it, and move it away.',
        });
    }
  }
  await makeFolder(shelf.folder);
  if (shelf.level !== 'project' || existsSync(path.join(shelf.folder, '.gitignore'))) return;
  // The lock file says it all; what it leads to is fetched by whoever clones the project.
  await writeFile(path.join(shelf.folder, '.gitignore'), `*\n!.gitignore\n!${path.basename(lockFileOf(shelf))}\n`);
}

/** Before anything is fetched into it. */
export async function stagingReady(shelf: Shelf): Promise<void> {
  await ready(shelf);
  await mkdir(stagingOf(shelf), { recursive: true, mode: 0o700 });
  for (const name of await readdir(stagingOf(shelf)).catch(() => [])) {
    const folder = path.join(stagingOf(shelf), name);
    if (await isLeft(folder)) await rm(folder, { recursive: true, force: true }).catch(() => undefined); // the next time
  }
}

/** Left behind by an installation that was killed. One that waits for an answer may wait for long. */
async function isLeft(folder: string): Promise<boolean> {
  const pid = /^\d+-(\d+)-[0-9a-f]+$/.exec(path.basename(folder))?.[1];
  if (pid !== undefined) return !isRunning(Number(pid));
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > hourMs;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Removes what nobody needs any more. What cannot be removed stays for the next time. */
async function sweep(shelf: Shelf): Promise<void> {
  const isOld = async (file: string): Promise<boolean> => {
    const found = await stat(file).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > dayMs;
  };
  const inside = async (folder: string): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).map((name) => path.join(folder, name));
  const kept = new Set([...readLock(shelf)].map(([name, locked]) => folderOf(shelf, name, locked)));
  const packages = (await inside(shelf.folder)).filter(
    (folder) =>
      !path.basename(folder).startsWith('.') && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
  const versions = (await Promise.all(packages.map(inside))).flat().filter((folder) => !kept.has(folder));
  for (const folder of [...(await inside(stagingOf(shelf))), ...versions])
    if (await isOld(folder)) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

/** What is wrong with an installed package; undefined where it is what was installed. Reads nothing while nothing has changed. */
export async function whatIsWrong(
  shelf: Shelf,
  name: string,
  locked: Locked,
  home: string,
): Promise<KernError | undefined> {
  const folder = folderOf(shelf, name, locked);
  const again = `kern plugins install${shelf.level === 'project' ? ' --project' : ''}`;
  if (!existsSync(folder)) {
    return locked.content === undefined
      ? new KernError('package_missing', `the folder of the package ${name} is not there: ${folder}`, {
          hint: `Bring it back, or: kern plugins remove ${name}`,
        })
      : new KernError(
          'package_missing',
          `the package ${name} ${locked.version} is not installed on this machine: run \`${again}\``,
          { hint: 'It fetches exactly what the lock file names.' },
        );
  }
  if (locked.content === undefined) return undefined;
  if (await isKnown(home, folder, locked).catch(() => false)) return undefined;
  const parts = await partsOf(folder).catch((error: unknown) => ({ content: String(error), modules: undefined }));
  const wanted = modulesOf(locked);
  if (parts.content === locked.content && (wanted === undefined || wanted === parts.modules)) {
    await remember(home, folder, locked).catch(() => undefined); // it is read again the next time
    return undefined;
  }
  return new KernError(
    'package_changed',
    `the package ${name} is not what was installed: its files in ${realpathSync(folder)} were changed`,
    {
      hint: `${again} puts back what the lock file names.`,
    },
  );
}
