import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { integrityOf, tarball } from './tarball.ts';

/** A registry of packages on this machine, for npm. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** What was asked for: `/weather`, `/weather/-/weather-1.0.0.tgz`. */
  readonly asked: readonly string[];
  publish(manifest: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>): void;
  /** Gives other bytes for a version that is there, as an attacker would. */
  swap(name: string, version: string, files: Readonly<Record<string, string>>): void;
}

interface Published {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

export async function openRegistry(): Promise<Registry> {
  const packages = new Map<string, Map<string, Published>>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const [, name = '', , version = ''] =
      /^\/((?:@[^/]+\/)?[^/]+)(\/-\/.*-(\d+\.\d+\.\d+[^/]*)\.tgz)?$/.exec(path) ?? [];
    const versions = packages.get(name);
    if (versions === undefined) {
      response.writeHead(404).end('{}');
      return;
    }
    if (version !== '') {
      response.end(versions.get(version)?.bytes);
      return;
    }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const told = [...versions].map(([one, { manifest, bytes }]) => [
      one,
      {
        ...manifest,
        dist: { tarball: `${url}/${name}/-/${name.replace(/^.*\//, '')}-${one}.tgz`, integrity: integrityOf(bytes) },
        ...('scripts' in manifest ? { hasInstallScript: true } : {}),
      },
    ]);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: [...versions.keys()].at(-1) },
        versions: Object.fromEntries(told),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publish = (manifest: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>): void => {
    const name = String(manifest.name);
    const versions = packages.get(name) ?? new Map<string, Published>();
    const bytes = tarball({ 'package.json': JSON.stringify(manifest), ...files });
    versions.set(String(manifest.version), { manifest, bytes });
    packages.set(name, versions);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    publish,
    swap(name, version, files) {
      const { manifest = {} } = packages.get(name)?.get(version) ?? {};
      publish(manifest, files);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
