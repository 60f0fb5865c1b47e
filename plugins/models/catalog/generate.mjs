// Writes anthropic/models.json, openai-chat/models.json and google/models.json from the data of an MIT package:
//   npm pack @earendil-works/pi-ai@1.6.0 && tar xzf earendil-works-pi-ai-1.6.0.tgz
//   node plugins/models/catalog/generate.mjs package 2026-11-20    (the day of its data)
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const vendors = [
  {
    provider: 'anthropic',
    folder: 'anthropic',
    // The first one is what kern uses when nobody chooses.
    models: [
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-fable-5-2',
      'claude-fable-5-1',
      'claude-fable-5',
      'claude-opus-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-opus-4-6',
      'claude-opus-4-5',
      'claude-sonnet-5',
      'claude-sonnet-4-6',
      'claude-sonnet-4-5',
      'claude-haiku-4-5',
    ],
  },
  {
    provider: 'openai',
    folder: 'openai-chat',
    models: [
      'gpt-6.2-sol',
      'gpt-6.2-astra',
      'gpt-6.1-sol',
      'gpt-6.1-terra',
      'gpt-6-sol',
      'gpt-6-astra',
      'gpt-6-luna',
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-5.6-luna',
      'gpt-5.5',
      'gpt-5.4',
      'gpt-5.4-mini',
      'gpt-5.1',
      'gpt-5',
      'gpt-5-mini',
      'gpt-4.1',
      'gpt-4.1-mini',
    ],
  },
  {
    provider: 'google',
    folder: 'google',
    models: [
      'gemini-4-argon',
      'gemini-4-neon',
      'gemini-4-carbon',
      'gemini-4-hydrogen',
      'gemini-3.8-flash',
      'gemini-3.7-flash',
      'gemini-3.6-flash',
      'gemini-3.5-flash',
      'gemini-3.5-flash-lite',
      'gemini-3.1-pro-preview',
      'gemini-3.1-flash-lite',
      'gemini-3-flash-preview',
      'gemini-2.5-pro',
      'gemini-2.5-flash',
      'gemini-2.5-flash-lite',
    ],
  },
];

const levels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const [, , source, validFrom] = process.argv;
if (source === undefined || !/^\d{4}-\d\d-\d\d$/.test(validFrom ?? '')) {
  process.stderr.write(
    'usage: node plugins/models/catalog/generate.mjs <the unpacked package> <the day of its data>\n',
  );
  process.exit(2);
}
const { name, version, license } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));

for (const { provider, folder, models } of vendors) {
  const file = path.join(source, 'dist/providers/data', `${provider}.json`);
  const known = Object.assign({}, ...Object.values(JSON.parse(readFileSync(file, 'utf8'))));
  const catalog = {
    source: `${name} ${version} (${license}), dist/providers/data/${provider}.json; prices in US dollars a million tokens, below any surcharge for long prompts`,
    validFrom,
    models: models.map((model) => entry(known[`chat:${model}`], model)),
  };
  const target = path.join(import.meta.dirname, '..', folder, 'models.json');
  writeFileSync(target, `${JSON.stringify(catalog, null, 2)}\n`);
}

function entry(facts, model) {
  if (facts === undefined) throw new Error(`the source has no ${model}`);
  const { input, output, cacheRead, cacheWrite } = facts.cost;
  return {
    model,
    name: facts.name,
    contextWindow: facts.contextWindow,
    maxOutput: facts.maxTokens,
    input: facts.input,
    thinking: thinking(facts),
    cost: { input, output, cacheRead, cacheWrite },
  };
}

/** `null` in the source's table means that a level is not there; `xhigh` and `max` are there only when it names them. */
function thinking({ reasoning, thinkingLevelMap: map = {} }) {
  if (!reasoning) return ['off'];
  return levels.filter((level) =>
    level === 'xhigh' || level === 'max' ? typeof map[level] === 'string' : map[level] !== null,
  );
}
