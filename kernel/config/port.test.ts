import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from './config.ts';
import { ConfigPort } from './port.ts';

test('what is written is read at once, of settings and of providers, before anybody is told of the change', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'kern-port-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const config = await loadConfig({ home });
  const port = new ConfigPort(config);
  expect([port.get('model'), port.provider('shop', 'user').off]).toEqual([undefined, undefined]);
  await config.write('user', 'model', 'acme/one');
  await config.write('user', 'providers.shop', false);
  expect(port.get('model')).toBe('acme/one');
  expect(port.provider('shop', 'user').off).toContain('providers.shop');
});
