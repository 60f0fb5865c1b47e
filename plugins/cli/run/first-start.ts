import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CommandHost, settingsTakeOver, type Workbench, workbench } from 'kern/contracts';
import { makeFolder } from 'kern/plugin';

/** While kern has no config yet, the settings of another program are offered once. Never again after that. */
export async function offerSettings(host: CommandHost): Promise<void> {
  const { view } = host;
  if (!(await isFirst(view.service(workbench)))) return;
  await view.use(settingsTakeOver).load();
  // Switched off, there is nobody to offer anything.
  await view.use(settingsTakeOver).items()[0]?.offer(host);
}

/** Notes that it is, so that no later start is. Where that cannot be noted no start is the first: every one would be. */
async function isFirst({ config, home }: Workbench): Promise<boolean> {
  if (config.files().some(({ layer, exists }) => layer === 'user' && exists)) return false;
  const mark = path.join(home, 'cache', 'first-start');
  if (existsSync(mark)) return false;
  try {
    await makeFolder(path.dirname(mark), 0o700);
    writeFileSync(mark, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
