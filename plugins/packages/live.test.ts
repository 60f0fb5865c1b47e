import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../cli/test/house.ts';
import { openDesk } from '../cli/test/line.ts';
import { manifestOf, saying } from './test/shop.ts';
import { tarball } from './test/tarball.ts';

/** A running kern, and a second one beside it that installs into the same home. */
async function openBoth() {
  const house = await openHouse({});
  const desk = await openDesk();
  const other = desk.at({ KERN_HOME: house.home });
  return {
    house,
    async install(version: string, code: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
      const file = path.join(desk.project, 'weather.tgz');
      writeFileSync(
        file,
        tarball({ 'package.json': JSON.stringify(manifestOf('kern-weather', version)), 'index.js': code, ...more }),
      );
      const { code: exit, err } = await other.kern('plugins', 'install', './weather.tgz', '--yes');
      expect(exit, err).toBe(0);
      return err;
    },
    remove: () => other.kern('plugins', 'remove', 'kern-weather'),
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}

/** Waits until what is asked for has come about. */
async function until(isTrue: () => Promise<boolean>, what: () => unknown): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isTrue()); ) {
    if (Date.now() > end) throw new Error(`it did not come about: ${JSON.stringify(what())}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

test('a running session takes an installed package over, its next version, and no broken one', async () => {
  await using both = await openBoth();
  const { house } = both;
  const says = (word: string) => () =>
    house.call('weather', {}).then(
      (text) => text === word,
      () => false,
    );
  await both.install('1.0.0', saying('weather', 'sun'));
  await until(says('sun'), house.complaints);
  await both.install('1.1.0', saying('weather', 'rain'));
  await until(says('rain'), house.complaints);
  await both.install('1.2.0', "throw new Error('no luck');\nexport default {};");
  await until(async () => house.complaints().some((line) => line.includes('kept the old')), house.complaints);
  expect(await house.call('weather', {})).toBe('rain');
  await both.install('1.3.0', saying('weather', 'snow'));
  await until(says('snow'), house.complaints);
  await both.remove();
  await until(async () => !(await says('snow')()), house.complaints);
}, 90_000);

test('what is edited in an installed package while kern runs is not taken over', async () => {
  await using both = await openBoth();
  const { house } = both;
  await both.install('1.0.0', saying('weather', 'sun'));
  await until(
    () =>
      house.call('weather', {}).then(
        (text) => text === 'sun',
        () => false,
      ),
    house.complaints,
  );
  const { packages } = JSON.parse(
    (await import('node:fs')).readFileSync(path.join(house.home, 'packages/packages.lock.json'), 'utf8'),
  ) as { packages: Record<string, { version: string; content: string }> };
  const { version = '', content = '' } = packages['kern-weather'] ?? {};
  const folder = path.join(house.home, 'packages/kern-weather', `${version}-${content.slice(7, 19)}`);
  writeFileSync(path.join(folder, 'index.js'), saying('weather', 'evil'));
  await until(
    async () => house.complaints().some((line) => line.includes('is not what was installed')),
    house.complaints,
  );
  expect(await house.call('weather', {})).toBe('sun');
}, 60_000);

test('the setting extensions is followed while kern runs', async () => {
  await using house = await openHouse({ 'there/weather.js': saying('weather', 'sun') });
  const config = path.join(house.home, 'config.yml');
  const says = () =>
    house.call('weather', {}).then(
      (text) => text === 'sun',
      () => false,
    );
  await house.view.settled(10_000);
  writeFileSync(config, `extensions: [${JSON.stringify(path.join(house.project, 'there/weather.js'))}]\n`);
  await until(says, house.complaints);
  writeFileSync(config, 'extensions: []\n');
  await until(async () => !(await says()), house.complaints);
}, 60_000);
