// Is dist/ as old as the sources? Asked at every npm start, also by an old Node: see kern.mjs.
import crypto from 'crypto';
import fs from 'fs';
import path from 'path';

const files = ['package.json', 'package-lock.json', 'tsconfig.json'];
const folders = ['kernel', 'plugins'];

/** What dist/ would be made from: `times` is quick to take, `content` is what counts when the times differ. */
export function sourceStamp(root) {
  const found = [];
  for (const file of files) if (fs.existsSync(path.join(root, file))) found.push(file);
  for (const folder of folders) collect(root, folder, found);
  found.sort();
  return {
    times: hash((add) => {
      for (const file of found) {
        const { size, mtimeMs } = fs.statSync(path.join(root, file));
        add(`${file} ${size} ${mtimeMs}\n`);
      }
    }),
    content: () =>
      hash((add) => {
        for (const file of found) {
          add(`${file}\n`);
          add(fs.readFileSync(path.join(root, file)));
        }
      }),
  };
}

/** Whether dist/ was made from the sources as they are now. */
export function isBuilt(root) {
  const file = stampFile(root);
  let old;
  try {
    old = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
  const now = sourceStamp(root);
  if (old.times === now.times) return true;
  const content = now.content();
  if (old.content !== content) return false;
  // Files were written again with what was in them, by a checkout for one: next time the quick look is enough.
  fs.writeFileSync(file, `${JSON.stringify({ times: now.times, content })}\n`);
  return true;
}

export function stampFile(root, dist = path.join(root, 'dist')) {
  return path.join(dist, 'stamp.json');
}

function collect(root, folder, found) {
  let entries = [];
  try {
    entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  } catch {
    return; // not there (yet)
  }
  for (const entry of entries) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (file !== 'plugins/cli/test' && entry.name !== 'node_modules' && entry.name !== 'fixtures')
        collect(root, file, found);
    } else if (/\.[cm]?[tj]sx?$/.test(entry.name) && !/\.test\.ts$/.test(entry.name)) found.push(file);
  }
}

function hash(feed) {
  const sum = crypto.createHash('sha256');
  feed((text) => sum.update(text));
  return sum.digest('hex');
}
