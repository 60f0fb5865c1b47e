import { promptTemplates, skills } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openHouse } from './test/house.ts';

test('a summary is an extension’s own, and a compaction is told and can be cancelled', async () => {
  await using h = await openHouse(
    {
      a: `
        let cancel = true;
        pi.on('session_before_compact', ({ preparation, branchEntries, reason }) => {
          const { messagesToSummarize, firstKeptEntryId, tokensBefore } = preparation;
          say(reason, messagesToSummarize.map(({ role }) => role), branchEntries.some(({ id }) => id === firstKeptEntryId), tokensBefore > 0);
          if (cancel) { cancel = false; return { cancel: true }; }
          return { compaction: { summary: 'They talked about the weather.', firstKeptEntryId, tokensBefore, details: { by: 'a' } } };
        });
        pi.on('session_compact', ({ compactionEntry, fromExtension }) => say(compactionEntry.type, compactionEntry.summary.includes('weather'), fromExtension));
        pi.on('session_compact_failed', ({ errorMessage }) => say('failed', errorMessage));
        pi.registerCommand('shrink', { handler: (args, ctx) => new Promise((resolve) =>
          ctx.compact({ customInstructions: 'short', onComplete: () => resolve('done'), onError: (error) => resolve(error.message) })) });`,
    },
    { turns: [{ text: 'word '.repeat(30_000) }, { text: 'short' }] },
  );
  for (const text of ['one', 'two', 'three']) await h.session.prompt({ text });
  expect(await h.command('shrink')).toContain('the extension a cancels it');
  expect(await h.command('shrink')).toBe('done');
  const said = h.said();
  expect(said[0]).toMatchObject(['manual', expect.arrayContaining(['user', 'assistant']), true, true]);
  expect(said.slice(-2)).toMatchObject([
    ['manual', expect.anything(), true, true],
    ['compaction', true, true],
  ]);
  expect(h.session.context()[0]?.message).toMatchObject({
    content: [{ text: expect.stringContaining('They talked about the weather.') }],
  });
});

test('moves in the tree and copies are told, cancelled, and summarised', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.on('session_before_tree', ({ preparation: { targetId, oldLeafId, entriesToSummarize, userWantsSummary } }) => {
          say('before tree', typeof targetId, typeof oldLeafId, entriesToSummarize.length > 0, userWantsSummary);
          return { summary: { summary: 'a dead end' } };
        });
        pi.on('session_tree', ({ summaryEntry, fromExtension }) => say('tree', summaryEntry?.summary, fromExtension));
        pi.on('session_before_fork', ({ position }) => { say('before fork', position); return position === 'at' ? { cancel: true } : undefined; });
        pi.on('session_start', ({ reason }) => say('start', reason));
        pi.registerCommand('tree', { handler: async (args, ctx) => say(await ctx.navigateTree(args, { summarize: true })) });
        pi.registerCommand('clone', { handler: async (args, ctx) => say(await ctx.fork(args, { position: 'at' })) });
        pi.registerCommand('fork', { handler: async (args, ctx) => say(await ctx.fork(args)) });`,
    },
    { turns: [{ text: 'ok' }] },
  );
  await h.session.prompt({ text: 'one' });
  await h.session.prompt({ text: 'two' });
  const user = h.session.nodes().filter(({ role }) => role === 'user');
  const last = user[1]?.id ?? '';
  await h.command('tree', last);
  await h.command('clone', user[0]?.id);
  await h.command('fork', user[0]?.id);
  expect(h.said()).toEqual([
    ['start', 'startup'],
    ['before tree', 'string', 'string', true, true],
    ['tree', 'a dead end', true],
    { cancelled: false },
    ['before fork', 'at'],
    { cancelled: true },
    ['before fork', 'before'],
    ['start', 'fork'],
    { cancelled: false },
  ]);
});

test('skills and prompts that an extension knows of are there', async () => {
  await using h = await openHouse(
    {
      a: `pi.on('resources_discover', ({ cwd, reason }) => {
        say(reason);
        return { skillPaths: [cwd + '/more/SKILL.md', 'skills'], promptPaths: ['prompts'], themePaths: ['x.json'] };
      });`,
    },
    {
      files: {
        'more/SKILL.md': '---\nname: dance\ndescription: Dances.\n---\nOne, two.',
        'skills/sing/SKILL.md': '---\ndescription: Sings.\n---\nLa.',
        'skills/dumb/SKILL.md': 'No head.',
        'prompts/greet.md': '---\ndescription: Greets\nargument-hint: <name>\n---\nHello $1',
      },
    },
  );
  const { view } = h.session;
  await Promise.all([view.use(skills).load(), view.use(promptTemplates).load()]);
  const found = view.use(skills).items();
  expect(found.map(({ name, description }) => [name, description]).sort()).toEqual([
    ['dance', 'Dances.'],
    ['sing', 'Sings.'],
  ]);
  expect(await found.find(({ name }) => name === 'dance')?.read()).toBe('One, two.');
  expect(view.use(promptTemplates).get('greet')?.item).toMatchObject({ argumentHint: '<name>', dialect: 'pi' });
  expect(h.said()).toEqual(['startup']);
  expect(h.complaints()).toEqual([expect.stringContaining('skills/dumb/SKILL.md has no description in its head')]);
});

test('a provider of models streams as it likes, and is asked beside the conversation', async () => {
  await using h = await openHouse({
    a: `
      import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
      export default (pi) => {
        const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 2, cost: null };
        pi.registerProvider('echo', { name: 'Echo', baseUrl: 'http://127.0.0.1:1', apiKey: 'none', api: 'own',
          models: [{ id: 'parrot', name: 'Parrot', reasoning: false, input: ['text'], contextWindow: 1000, maxTokens: 100,
            cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }],
          streamSimple(model, { systemPrompt, messages, tools }, { signal }) {
            const stream = createAssistantMessageEventStream();
            const text = 'you said ' + messages.at(-1).content[0].text;
            const message = { role: 'assistant', content: [{ type: 'text', text }], api: model.api, provider: model.provider,
              model: model.id, usage, stopReason: 'stop', timestamp: 1 };
            queueMicrotask(() => {
              stream.push({ type: 'start', partial: message });
              stream.push({ type: 'text_start', contentIndex: 0, partial: message });
              stream.push({ type: 'text_delta', contentIndex: 0, delta: text, partial: message });
              stream.push({ type: 'text_end', contentIndex: 0, content: text, partial: message });
              stream.push({ type: 'done', reason: 'stop', message });
            });
            return stream;
          } });
        pi.on('model_select', ({ model, previousModel, source }) => say(model.provider, model.id, previousModel.provider, source));
        pi.registerCommand('use', { handler: async (args, ctx) => {
          const reply = await ctx.modelRegistry.complete({ provider: 'echo', id: 'parrot' }, { systemPrompt: '', messages: [{ role: 'user', content: 'aside' }] });
          say(reply.content[0].text, await pi.setModel({ provider: 'echo', id: 'parrot' }), ctx.model.contextWindow);
        } });
      };`,
    none: `pi.registerProvider('x', { baseUrl: 'http://127.0.0.1:1' });`,
  });
  await h.command('use');
  expect(await h.session.prompt({ text: 'hello' })).toMatchObject({ status: 'ok', text: 'you said hello' });
  expect(h.said()).toEqual([
    ['echo', 'parrot', 'script', 'set'],
    ['you said aside', true, 1000],
  ]);
  expect(h.complaints()).toEqual([
    'ext.none: plugin ext.none failed in start: the extension none: the provider x brings no models',
  ]);
});
