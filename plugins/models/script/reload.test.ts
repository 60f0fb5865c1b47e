import { models, scriptFile } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import modelsPlugin from '../index.ts';
import { aRequest, messageOfReply } from '../test/requests.ts';
import scriptPlugin from './index.ts';

test('a reload of the plugin does not rewind the script', async () => {
  using script = scriptFile([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
  await using test = await bootKernel([modelsPlugin, scriptPlugin]);
  const say = async (view = test.view) => {
    const service = view.service(models);
    const model = await service.resolve(script.model);
    const { content } = await messageOfReply(service.stream(aRequest({ model }), new AbortController().signal));
    return content[0]?.type === 'text' ? content[0].text : undefined;
  };
  using pinned = test.view.pin();
  expect(await say()).toBe('one');
  expect((await test.put(scriptPlugin)).ok).toBe(true);
  expect(await pinned.enter(() => say(pinned))).toBe('two');
  expect(await say()).toBe('three');
});
