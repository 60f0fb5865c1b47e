import { fstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** The terminal that kern runs in. */
export interface Terminal {
  /** Fit for the name of a file. */
  readonly id: string;
  /** Who leads what runs in it: a number of a terminal is given again, and then means another. */
  readonly leader: string | undefined;
}

/** What terminals and multiplexers say of themselves where the system does not. */
const variables = [
  'ZELLIJ_PANE_ID',
  'TMUX_PANE',
  'KITTY_WINDOW_ID',
  'WEZTERM_PANE',
  'TERM_SESSION_ID',
  'WT_SESSION',
] as const;

/** Undefined where there is none: in a service, in a pipeline of a build. */
export function terminal(
  env: Readonly<Record<string, string | undefined>>,
  ownDevice: () => string | undefined = () => deviceOf(0) ?? deviceOf(1) ?? deviceOf(2),
): Terminal | undefined {
  const device = ownDevice();
  if (device !== undefined) return { id: nameOf(device.replace(/^\/dev\//, '')), leader: sessionLeader() };
  const variable = variables.find((name) => env[name] !== undefined && env[name] !== '');
  return variable === undefined ? undefined : { id: nameOf(`${variable}-${env[variable]}`), leader: undefined };
}

const nameOf = (text: string): string => `t-${text.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 100)}`;

function deviceOf(fd: number): string | undefined {
  try {
    const { rdev } = fstatSync(fd);
    if (!fstatSync(fd).isCharacterDevice()) return undefined;
    return linkedDevice(fd) ?? listedDevice(rdev);
  } catch {
    // Closed: no terminal.
    return undefined;
  }
}

const isTerminal = (path: string): boolean => /^\/dev\/(pts\/\d+|tty[A-Za-z0-9]+)$/.test(path);

function linkedDevice(fd: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const path = readlinkSync(`/proc/self/fd/${fd}`);
  return isTerminal(path) ? path : undefined;
}

/** Where the system does not say the name of an open file: the device with its number. */
function listedDevice(rdev: number): string | undefined {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined;
  const names = readdirSync('/dev').map((name) => `/dev/${name}`);
  return names.find((path) => isTerminal(path) && statSync(path, { throwIfNoEntry: false })?.rdev === rdev);
}

function sessionLeader(): string | undefined {
  try {
    const pid = statFields('self')[3];
    return `${pid} ${statFields(pid ?? '')[19]}`;
  } catch {
    return undefined;
  }
}

/** What the system tells of a process, behind its name. */
function statFields(pid: string): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
