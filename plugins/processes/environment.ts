import { delimiter, isAbsolute } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whose keys kern may hold for itself. What a child of kern runs never needs them. */
const keyHolders = [
  'AI21',
  'AI_GATEWAY',
  'ANTHROPIC',
  'ANT_LING',
  'ANYSCALE',
  'AZURE_AI',
  'AZURE_OPENAI',
  'BASETEN',
  'BRAVE',
  'BRAVE_SEARCH',
  'CEREBRAS',
  'CHUTES',
  'CLOUDFLARE',
  'CLAUDE',
  'CLAUDE_CODE',
  'CLAUDE_CODE_OAUTH',
  'CODEX',
  'COHERE',
  'COPILOT',
  'COPILOT_GITHUB',
  'DASHSCOPE',
  'DEEPGRAM',
  'DEEPINFRA',
  'DEEPSEEK',
  'ELEVENLABS',
  'EXA',
  'FIRECRAWL',
  'FIREWORKS',
  'GEMINI',
  'GOOGLE',
  'GOOGLE_AI',
  'GOOGLE_GENERATIVE_AI',
  'GROK',
  'GROQ',
  'HF',
  'HUGGINGFACE',
  'HUGGING_FACE',
  'HUGGINGFACEHUB',
  'HYPERBOLIC',
  'INCEPTION',
  'JINA',
  'KAGI',
  'KIMI',
  'LAMBDA',
  'LITELLM',
  'LM_STUDIO',
  'LMSTUDIO',
  'META',
  'MINIMAX',
  'MISTRAL',
  'MOONSHOT',
  'NEBIUS',
  'NOVITA',
  'NVIDIA',
  'NVIDIA_NIM',
  'OLLAMA',
  'OPENAI',
  'OPENCODE',
  'OPENROUTER',
  'PARALLEL',
  'PERPLEXITY',
  'POE',
  'PPLX',
  'QWEN',
  'REPLICATE',
  'SAMBANOVA',
  'SERPAPI',
  'SERPER',
  'SILICONFLOW',
  'STABILITY',
  'SYNTHETIC',
  'TAVILY',
  'TOGETHER',
  'TOGETHERAI',
  'TOGETHER_AI',
  'UPSTAGE',
  'VENICE',
  'VERCEL_AI_GATEWAY',
  'VERTEX',
  'VOYAGE',
  'VOYAGEAI',
  'WATSONX',
  'XAI',
  'XIAOMI',
  'YOU',
  'ZAI',
  'ZHIPU',
  'ZHIPUAI',
  'Z_AI',
];

const secret = new RegExp(`^(${keyHolders.join('|')})(_[A-Z0-9]+)*_(API_?KEYS?|KEY|TOKEN|SECRET)$`, 'i');
/** With these kern may pay for models at Amazon. Commands for people's own servers there need them: `passKeys`. */
const amazonSecret = /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|BEARER_TOKEN_[A-Z0-9_]+)$/i;

/** Names of this process alone: what launched it, and npm's words to its scripts. */
const ownNames = new Set(['KERN_LAUNCHER_FD']);
const npmNames = new Set(['INIT_CWD', 'NODE', 'PROJECT_CWD']);

/** Whether a name holds a key of a model or search provider. */
export function isProviderSecret(name: string): boolean {
  return secret.test(name) || amazonSecret.test(name);
}

export interface Keys {
  /** Names that children get all the same. */
  readonly passed?: readonly string[];
  /** More names that hold keys: those which a person has given kern. */
  readonly held?: readonly string[];
}

/** The environment that children get: no provider keys, nothing that npm put there for its own script. */
export function cleanEnvironment(env: Environment, { passed = [], held = [] }: Keys = {}): Record<string, string> {
  const byNpm = env.npm_lifecycle_event !== undefined;
  const clean: Record<string, string> = {};
  const isKey = (name: string): boolean => !passed.includes(name) && (held.includes(name) || isProviderSecret(name));
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || ownNames.has(name) || isKey(name)) continue;
    // Without npm above, `npm_config_registry` and its like are the user's own settings.
    if (name.startsWith('npm_') && (byNpm || !name.startsWith('npm_config_'))) continue;
    if (byNpm && npmNames.has(name)) continue;
    clean[name] = name.toUpperCase() === 'PATH' ? safePath(value, byNpm) : value;
  }
  return clean;
}

/** `clean` with the caller's additions; `undefined` takes a name away. */
export function withAdded(
  clean: Readonly<Record<string, string>>,
  added: Environment | undefined,
): Record<string, string> {
  const env = { ...clean };
  for (const [name, value] of Object.entries(added ?? {})) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

/** Without what npm put in front. An entry that is empty or relative means the working folder, and so the project's programs. */
function safePath(path: string, byNpm: boolean): string {
  const isByNpm = (folder: string): boolean =>
    /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) || /[\\/]node-gyp-bin[\\/]?$/.test(folder);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(byNpm && isByNpm(folder)))
    .join(delimiter);
}
