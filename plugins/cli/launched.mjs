// The child's side of launch.mjs: loaded first, only when a launcher stands above this process.
import { Socket } from 'node:net';

const fd = Number(process.env.KERN_LAUNCHER_FD);
// Processes that this one starts have no launcher.
delete process.env.KERN_LAUNCHER_FD;

// How long the orderly end may take once the launcher is gone.
const grace = 10_000;
// A Ctrl-C reaches the launcher and us at once. What it passes on within this time of what came directly is the same.
const together = 1_000;
// Until then a signal that came directly has been seen, also after the event loop was blocked.
const settle = 50;

const direct = []; // signals that came directly and were not yet matched: { name, at }
const own = []; // signals we sent to ourselves and that will come back

if (Number.isInteger(fd) && fd > 2) {
  watchSignals();
  read(fd);
}

function read(fd) {
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.unref();
  socket.setEncoding('utf8');
  let rest = '';
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const name of lines) setTimeout(passOn, settle, name);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(143), grace).unref();
  });
}

// No listener of ours: with one, a signal nobody handles would no longer end the process.
function watchSignals() {
  const emit = process.emit;
  process.emit = function (name, ...rest) {
    if (typeof name === 'string' && name.startsWith('SIG')) {
      const returned = own.indexOf(name);
      if (returned === -1) direct.push({ name, at: performance.now() });
      else own.splice(returned, 1);
    }
    return emit.call(this, name, ...rest);
  };
}

function passOn(name) {
  const since = performance.now() - together;
  const twin = direct.findIndex((signal) => signal.name === name && signal.at >= since);
  if (twin !== -1) {
    direct.splice(0, twin + 1);
    return;
  }
  own.push(name);
  process.kill(process.pid, name);
}
