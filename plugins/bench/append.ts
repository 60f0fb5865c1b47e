import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import { openSessionHost } from './session-host.ts';
import type { Table } from './table.ts';

const mostRounds = 4;
const count = 5_000;
/** Each of these waits for the disk. */
const synced = 200;
const bytes = 1_000;

/** Entries of a session, against lines that Node writes. */
export async function append(ground: Ground): Promise<Table> {
  const careful = ground.place();
  careful.write('home:config.yml', 'plugins:\n  sessions:\n    fsync: always\n');
  await using host = openSessionHost(ground, ground.place());
  await using always = openSessionHost(ground, careful);
  const each = (ms: number, of = count): number => (ms * 1_000) / of;
  const rate = (ms: number): number => (count * 1_000) / ms;
  const size = { count, bytes };
  const few = { count: synced, bytes, together: false };
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    bareEach: async () => each((await host.ask({ do: 'bareAppend', ...size, together: false })).ms),
    kernEach: async () => each((await host.ask({ do: 'append', ...size, together: false })).ms),
    bareSynced: async () => each((await always.ask({ do: 'bareAppend', ...few, sync: true })).ms, synced),
    kernSynced: async () => each((await always.ask({ do: 'append', ...few })).ms, synced),
    bareAll: async () => rate((await host.ask({ do: 'bareAppend', ...size, together: true })).ms),
    kernAll: async () => rate((await host.ask({ do: 'append', ...size, together: true })).ms),
  });
  const bare = {
    each: 'bare Node: appendFile, one after the other',
    synced: 'bare Node: appendFile, fdatasync',
    all: 'bare Node: all in one write',
  };
  return {
    name: 'append',
    title: `entries of ${bytes} bytes written to a session`,
    rows: [
      { label: bare.each, unit: 'µs', samples: samples.bareEach },
      { label: 'each when the one before is acknowledged', unit: 'µs', samples: samples.kernEach, against: bare.each },
      { label: bare.synced, unit: 'µs', samples: samples.bareSynced },
      { label: 'the same with fsync: always', unit: 'µs', samples: samples.kernSynced, against: bare.synced },
      { label: bare.all, unit: 'lines/s', samples: samples.bareAll },
      { label: `${count} at once`, unit: 'lines/s', samples: samples.kernAll, against: bare.all },
    ],
  };
}
