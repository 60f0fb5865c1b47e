// What kern.mjs and setup.mjs need to hand over to another Node. Read by old Nodes: see kern.mjs.

// What is passed on. The others either cannot be caught or come from the terminal to the whole group.
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGBREAK'];

/** The Node that came with the packages (`node_modules/node`), looked for upward from `start`. */
export async function bundledNode(start, required) {
  const fs = await import('fs');
  const path = await import('path');
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = path.dirname(start); ; folder = path.dirname(folder)) {
    const home = path.join(folder, 'node_modules', 'node');
    const node = path.join(home, 'bin', file);
    if (fs.existsSync(node)) {
      const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
      if (Number.parseInt(version, 10) >= required) return node;
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Runs `node` with `args` in our place: same streams, signals passed on, and our end is its end. A pipe ties the two
 * together: the child (launched.mjs) reads signals from it, and when it closes, because we were killed, it ends too.
 */
export async function launch(node, args, options) {
  const { spawn } = await import('child_process');
  const env = Object.assign({}, process.env, options && options.env, { KERN_LAUNCHER_FD: '3' });
  const child = spawn(node, args, {
    cwd: options && options.cwd,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const line = child.stdio[3];
  // The child may be gone by the time a signal is written: its exit is what counts then.
  line.on('error', () => {});
  const listeners = signals.map((name) => [name, () => line.write(`${name}\n`)]);
  for (const [name, listener] of listeners) {
    try {
      process.on(name, listener);
    } catch {
      // Not every system has every signal.
    }
  }
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...end) => resolve(end));
  });
  line.destroy();
  for (const [name, listener] of listeners) process.removeListener(name, listener);
  if (signal === null) {
    process.exitCode = code;
    return code;
  }
  // Whoever waits for us should see how it ended. The number is for signals that do not end us.
  process.kill(process.pid, signal);
  const os = await import('os');
  process.exitCode = 128 + (os.constants.signals[signal] || 0);
  return process.exitCode;
}
