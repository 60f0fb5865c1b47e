// Are the packages in node_modules those of the lock file? Asked at every npm start, also by an old Node: see kern.mjs.
import { spawn } from 'child_process';
import crypto from 'crypto';
import fs from 'fs';
import path from 'path';

/** Whether node_modules holds what package-lock.json says. A stamp there makes the second answer quick. */
export function isInstalled(root) {
  const lock = readText(path.join(root, 'package-lock.json'));
  const installed = readText(path.join(root, 'node_modules', '.package-lock.json'));
  if (lock === undefined || installed === undefined) return false;
  const stamp = crypto.createHash('sha256').update(lock).update(installed).digest('hex');
  const file = path.join(root, 'node_modules', '.kern-stamp');
  if (readText(file) === stamp) return true;
  if (!holds(JSON.parse(lock).packages, JSON.parse(installed).packages)) return false;
  fs.writeFileSync(file, stamp);
  return true;
}

/** npm notes what it installed in the form of a lock file. Optional packages are those of other systems. */
function holds(wanted, installed) {
  for (const [place, entry] of Object.entries(wanted)) {
    if (place === '') continue;
    const found = installed[place];
    if (found === undefined ? !entry.optional && !entry.peer : found.version !== entry.version) return false;
  }
  return true;
}

/** Runs npm ci; what it says is shown when it fails. */
export function install(root) {
  // npm tells its scripts where it is itself, which is safer than the next best npm on PATH.
  const npm = process.env.npm_execpath;
  const isScript = npm !== undefined && /npm-cli\.c?js$/.test(npm) && fs.existsSync(npm);
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--no-progress'];
  const child = isScript
    ? spawn(process.execPath, [npm].concat(args), { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  return finished(child, 'npm ci');
}

/** Waits for a child whose output matters only when it fails. */
export function finished(child, name) {
  let output = '';
  const keep = (text) => {
    output += text;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${name} failed (${signal || `exit ${code}`}):\n${output.trim()}`));
    });
  });
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
