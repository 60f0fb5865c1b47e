// Writes the catalogues from the data of an MIT package, a file for each large provider and one for all the small ones:
//   npm pack @earendil-works/pi-ai@1.6.0 && tar xzf earendil-works-pi-ai-1.6.0.tgz
//   node plugins/models/catalog/generate.mjs package 2026-11-20    (the day of its data)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { familyOf, generationOf, nameParts } from '../names.ts';

/** Which provider's data goes where, and what is best of it: the first one is what kern uses when nobody chooses. */
const own = {
  anthropic: {
    file: 'anthropic/models.json',
    best: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2'],
  },
  openai: {
    file: 'openai-chat/models.json',
    best: ['gpt-6.2-sol', 'gpt-6.2-astra', 'gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-sol', 'gpt-6-luna'],
  },
  google: { file: 'google/models.json', best: ['gemini-4-argon', 'gemini-4-neon', 'gemini-4-carbon'] },
  'amazon-bedrock': { file: 'bedrock/models.json', best: [] },
  'google-vertex': { file: 'vertex/models.json', best: [] },
  azure: { file: 'azure/models.json', best: [] },
};

/** Those that speak one of our wires, with what is best of them. */
const vendors = {
  openrouter: ['anthropic/claude-opus-5.5', 'openai/gpt-6.2-sol', 'google/gemini-4-argon'],
  'vercel-ai-gateway': ['anthropic/claude-opus-5.5', 'openai/gpt-6.2-sol'],
  xai: [],
  deepseek: ['deepseek-v4-pro'],
  mistral: ['mistral-large-4'],
  groq: ['openai/gpt-oss-120b'],
  cerebras: [],
  together: [],
  fireworks: [],
  huggingface: [],
  baseten: [],
  nvidia: [],
  'cloudflare-workers-ai': [],
  zai: ['glm-5.3'],
  'zai-coding-cn': ['glm-5.3'],
  moonshotai: [],
  'moonshotai-cn': [],
  'kimi-coding': [],
  minimax: [],
  'minimax-cn': [],
  meta: [],
  'ant-ling': [],
  xiaomi: [],
  'xiaomi-token-plan-ams': [],
  'xiaomi-token-plan-cn': [],
  'xiaomi-token-plan-sgp': [],
  'qwen-token-plan': [],
  'qwen-token-plan-cn': [],
  'qwen-token-plan-individual': [],
  'qwen-token-plan-individual-cn': [],
  opencode: [],
  'opencode-go': [],
  'github-copilot': [],
  'openai-codex': ['gpt-6.2-sol'],
};

const wires = {
  'anthropic-messages': 'anthropic',
  'openai-completions': 'openai-chat',
  'openai-responses': 'openai-responses',
  'openai-codex-responses': 'openai-responses',
  'google-generative-ai': 'google',
  'mistral-conversations': 'openai-chat',
  'azure-openai-responses': 'openai-responses',
};

/** Who makes the families. */
const makers = [
  [/^(claude)/, 'Anthropic'],
  [/^(gpt|o\d|chat|codex)/, 'OpenAI'],
  [/^(gemini|gemma|deep-research)/, 'Google'],
  [/^grok/, 'xAI'],
  [/^(llama|muse)/, 'Meta'],
  [/^(mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mi)/, 'Mistral'],
  [/^(qwen|qwq)/, 'Alibaba'],
  [/^deepseek/, 'DeepSeek'],
  [/^glm/, 'Z.AI'],
  [/^kimi/, 'Moonshot AI'],
  [/^minimax/, 'MiniMax'],
  [/^(nemotron|nvidia-nemotron)/, 'NVIDIA'],
  [/^mimo/, 'Xiaomi'],
  [/^nova/, 'Amazon'],
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

/** These have files of their own: who uses another vendor need not read them. */
const large = ['openrouter', 'vercel-ai-gateway'];
const sourceText = `${name} ${version} (${license}), dist/providers/data; prices in US dollars a million tokens`;
const head = { source: sourceText, validFrom };

for (const [provider, { file, best }] of Object.entries(own)) write(file, catalogText(provider, best));
for (const provider of large) write(`vendors/data/${provider}.json`, catalogText(provider, vendors[provider]));
const others = Object.keys(vendors).filter((provider) => !large.includes(provider));
const parts = others.map((provider) => `${JSON.stringify(provider)}:${catalogText(provider, vendors[provider])}`);
write('vendors/data/others.json', `{\n${parts.join(',\n')}\n}`);

function write(file, text) {
  const target = path.join(import.meta.dirname, '..', file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${text}\n`);
}

/** A line a model, so that a change is seen as one. */
function catalogText(provider, best) {
  const data = JSON.parse(readFileSync(path.join(source, 'dist/providers/data', `${provider}.json`), 'utf8'));
  const chat = Object.values(data)
    .flatMap((group) => Object.values(group))
    .filter(({ type }) => type === 'chat');
  const missing = best.find((id) => chat.every((facts) => facts.id !== id));
  if (missing !== undefined) throw new Error(`the source has no ${provider}/${missing}`);
  const manyWires = new Set(chat.map(({ api }) => api)).size > 1;
  const { kept, aliases } = withoutTwins(chat);
  const models = kept
    .sort((a, b) => rank(best, a) - rank(best, b) || newer(a, b))
    .map((facts) => entry(facts, aliases.get(facts.id), manyWires));
  const lines = models.map((model) => JSON.stringify(model)).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},"models":[\n${lines}\n]}`;
}

function rank(best, { id }) {
  return best.includes(id) ? best.indexOf(id) : best.length;
}

function newer(a, b) {
  const generation = ({ id, name: title }) => generationOf(id, title) ?? 0;
  return generation(b) - generation(a) || (a.id < b.id ? -1 : 1);
}

/** A dated name of what has an undated one with the same facts becomes another name of it. */
function withoutTwins(models) {
  const undated = new Map();
  for (const facts of models) if (nameParts(facts.id).date === undefined) undated.set(twinKey(facts), facts.id);
  const aliases = new Map();
  const kept = models.filter((facts) => {
    const twin = undated.get(twinKey(facts));
    if (twin === undefined || twin === facts.id || nameParts(facts.id).date === undefined) return true;
    aliases.set(twin, [...(aliases.get(twin) ?? []), facts.id]);
    return false;
  });
  return { kept, aliases };
}

function twinKey({ id, contextWindow, maxTokens, cost, api }) {
  const parts = nameParts(id);
  if (parts.version.length === 0) return id;
  return JSON.stringify([
    id.split('/').slice(0, -1),
    familyOf(parts),
    parts.version,
    contextWindow,
    maxTokens,
    cost,
    api,
  ]);
}

function entry(facts, aliases, manyWires) {
  const { id, name: title, contextWindow, maxTokens, input, api } = facts;
  const last = id.toLowerCase().replace(/^.*\//, '');
  const maker = makers.find(([pattern]) => pattern.test(last.replace(/^([a-z-]+\.)+/, '')))?.[1];
  const age = generationOf(id, title);
  return {
    model: id,
    name: title,
    contextWindow,
    maxOutput: maxTokens,
    input: input.filter((kind) => kind === 'text' || kind === 'image'),
    thinking: thinking(facts),
    cost: cost(facts),
    ...(maker === undefined ? {} : { vendor: maker }),
    ...(age === undefined ? {} : { generation: age }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(manyWires && wires[api] !== undefined ? { wire: wires[api] } : {}),
    ...budgets(facts),
  };
}

/** Nothing costs nothing, unless its name says so: a plan that is paid by the month, or a price that nobody knows. */
function cost({ id, cost: { input, output, cacheRead, cacheWrite, tiers } }) {
  if (input === 0 && output === 0 && !/[:-]free$/.test(id)) return null;
  const above = tiers?.map(({ inputTokensAbove, ...rest }) => ({ above: inputTokensAbove, ...rest }));
  return { input, output, cacheRead, cacheWrite, ...(above === undefined ? {} : { tiers: above }) };
}

/** `null` in the source's table means that a level is not there; `xhigh` and `max` are there only when it names them. */
function thinking({ id, reasoning, api, compat = {}, thinkingLevelMap: map = {} }) {
  if (!reasoning) return ['off'];
  // It thinks as it likes: the server takes no word about it.
  if (api === 'openai-completions' && compat.supportsReasoningEffort === false) return ['off'];
  const can = levels.filter((level) =>
    level === 'xhigh' || level === 'max' ? typeof map[level] === 'string' : map[level] !== null,
  );
  return /gemini-2\.5-pro/.test(id) ? can.filter((level) => level !== 'off') : can;
}

/** Tokens of thinking by level, for models whose servers are told a number and not a word. */
function budgets({ id, reasoning, api, compat = {} }) {
  if (!reasoning) return {};
  const claude = /claude/.test(id) && ['anthropic-messages', 'bedrock-converse-stream'].includes(api);
  if (claude && compat.forceAdaptiveThinking !== true && (generationOf(id) ?? 0) < 406)
    return { thinkingBudgets: { minimal: 1024, low: 2048, medium: 8192, high: 16_384 } };
  if (!/^google/.test(api)) return {};
  if (/gemini-2\.5-pro/.test(id)) return { thinkingBudgets: { minimal: 128, low: 2048, medium: 8192, high: 32_768 } };
  if (/gemini-2\.5-flash-lite/.test(id))
    return { thinkingBudgets: { off: 0, minimal: 512, low: 2048, medium: 8192, high: 24_576 } };
  if (/gemini-2\.5-flash/.test(id))
    return { thinkingBudgets: { off: 0, minimal: 128, low: 2048, medium: 8192, high: 24_576 } };
  return {};
}
