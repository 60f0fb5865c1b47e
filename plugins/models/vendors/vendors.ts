import type { ModelCatalog, ModelWire } from 'kern/contracts';

/** A vendor whose servers speak one of kern's wires, or several. */
export interface Vendor {
  readonly id: string;
  readonly displayName: string;
  /** Variables with the key, the first that is set counts. None: one can only sign in. */
  readonly env: readonly string[];
  /** `{NAME}` is a variable of the environment. The first wire is that of models nobody has described. */
  readonly baseUrls: Readonly<Partial<Record<ModelWire, string>>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the public catalogue calls it, which is mostly its id. */
  readonly catalogId: string;
  readonly catalog: () => Promise<ModelCatalog>;
}

const catalogIds: Readonly<Record<string, string>> = {
  fireworks: 'fireworks-ai',
  'kimi-coding': 'kimi-for-coding',
  together: 'togetherai',
  'vercel-ai-gateway': 'vercel',
  'zai-coding-cn': 'zhipuai-coding-plan',
};

type File = Promise<{ readonly default: ModelCatalog }>;

function vendor(
  id: string,
  displayName: string,
  env: readonly string[],
  baseUrls: Vendor['baseUrls'],
  file: () => File,
  headers?: Vendor['headers'],
): Vendor {
  const catalog = async (): Promise<ModelCatalog> => (await file()).default;
  const catalogId = catalogIds[id] ?? id;
  return { id, displayName, env, baseUrls, catalog, catalogId, ...(headers === undefined ? {} : { headers }) };
}

const chat = (url: string): Vendor['baseUrls'] => ({ 'openai-chat': url });

/** In the order in which a model is looked for: first who makes models, then who serves those of others. */
export const vendors: readonly Vendor[] = [
  vendor(
    'xai',
    'xAI',
    ['XAI_API_KEY'],
    { 'openai-responses': 'https://api.x.ai/v1' },
    () => import('./data/xai.json', { with: { type: 'json' } }),
  ),
  vendor(
    'deepseek',
    'DeepSeek',
    ['DEEPSEEK_API_KEY'],
    chat('https://api.deepseek.com'),
    () => import('./data/deepseek.json', { with: { type: 'json' } }),
  ),
  vendor(
    'mistral',
    'Mistral',
    ['MISTRAL_API_KEY'],
    chat('https://api.mistral.ai/v1'),
    () => import('./data/mistral.json', { with: { type: 'json' } }),
  ),
  vendor(
    'meta',
    'Meta',
    ['META_API_KEY'],
    { 'openai-responses': 'https://api.meta.ai/v1' },
    () => import('./data/meta.json', { with: { type: 'json' } }),
  ),
  vendor(
    'zai',
    'Z.AI',
    ['ZAI_API_KEY'],
    chat('https://api.z.ai/api/coding/paas/v4'),
    () => import('./data/zai.json', { with: { type: 'json' } }),
  ),
  vendor(
    'zai-coding-cn',
    'Z.AI (China)',
    ['ZAI_CODING_CN_API_KEY'],
    chat('https://open.bigmodel.cn/api/coding/paas/v4'),
    () => import('./data/zai-coding-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'moonshotai',
    'Moonshot AI',
    ['MOONSHOT_API_KEY'],
    chat('https://api.moonshot.ai/v1'),
    () => import('./data/moonshotai.json', { with: { type: 'json' } }),
  ),
  vendor(
    'moonshotai-cn',
    'Moonshot AI (China)',
    ['MOONSHOT_CN_API_KEY', 'MOONSHOT_API_KEY'],
    chat('https://api.moonshot.cn/v1'),
    () => import('./data/moonshotai-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'kimi-coding',
    'Kimi for Coding',
    ['KIMI_API_KEY'],
    chat('https://api.kimi.com/coding/v1'),
    () => import('./data/kimi-coding.json', { with: { type: 'json' } }),
  ),
  vendor(
    'minimax',
    'MiniMax',
    ['MINIMAX_API_KEY'],
    { anthropic: 'https://api.minimax.io/anthropic' },
    () => import('./data/minimax.json', { with: { type: 'json' } }),
  ),
  vendor(
    'minimax-cn',
    'MiniMax (China)',
    ['MINIMAX_CN_API_KEY'],
    { anthropic: 'https://api.minimaxi.com/anthropic' },
    () => import('./data/minimax-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'xiaomi',
    'Xiaomi',
    ['XIAOMI_API_KEY'],
    chat('https://api.xiaomimimo.com/v1'),
    () => import('./data/xiaomi.json', { with: { type: 'json' } }),
  ),
  vendor(
    'xiaomi-token-plan-ams',
    'Xiaomi Token Plan (Europe)',
    ['XIAOMI_TOKEN_PLAN_AMS_API_KEY'],
    chat('https://token-plan-ams.xiaomimimo.com/v1'),
    () => import('./data/xiaomi-token-plan-ams.json', { with: { type: 'json' } }),
  ),
  vendor(
    'xiaomi-token-plan-cn',
    'Xiaomi Token Plan (China)',
    ['XIAOMI_TOKEN_PLAN_CN_API_KEY'],
    chat('https://token-plan-cn.xiaomimimo.com/v1'),
    () => import('./data/xiaomi-token-plan-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'xiaomi-token-plan-sgp',
    'Xiaomi Token Plan (Singapore)',
    ['XIAOMI_TOKEN_PLAN_SGP_API_KEY'],
    chat('https://token-plan-sgp.xiaomimimo.com/v1'),
    () => import('./data/xiaomi-token-plan-sgp.json', { with: { type: 'json' } }),
  ),
  vendor(
    'qwen-token-plan',
    'Qwen Token Plan',
    ['QWEN_TOKEN_PLAN_TEAM_API_KEY', 'QWEN_TOKEN_PLAN_API_KEY'],
    chat('https://token-plan.maas.qwencloudapi.com/compatible-mode/v1'),
    () => import('./data/qwen-token-plan.json', { with: { type: 'json' } }),
  ),
  vendor(
    'qwen-token-plan-cn',
    'Qwen Token Plan (China)',
    ['QWEN_TOKEN_PLAN_TEAM_CN_API_KEY', 'QWEN_TOKEN_PLAN_CN_API_KEY'],
    chat('https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1'),
    () => import('./data/qwen-token-plan-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'qwen-token-plan-individual',
    'Qwen Token Plan (individual)',
    ['QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY'],
    chat('https://token-plan.maas.qwencloudapi.com/compatible-mode/v1'),
    () => import('./data/qwen-token-plan-individual.json', { with: { type: 'json' } }),
  ),
  vendor(
    'qwen-token-plan-individual-cn',
    'Qwen Token Plan (individual, China)',
    ['QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY'],
    chat('https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1'),
    () => import('./data/qwen-token-plan-individual-cn.json', { with: { type: 'json' } }),
  ),
  vendor(
    'ant-ling',
    'Ant Ling',
    ['ANT_LING_API_KEY'],
    chat('https://api.ant-ling.com/v1'),
    () => import('./data/ant-ling.json', { with: { type: 'json' } }),
  ),
  vendor(
    'github-copilot',
    'GitHub Copilot',
    [],
    {
      'openai-chat': 'https://api.individual.githubcopilot.com',
      'openai-responses': 'https://api.individual.githubcopilot.com',
      anthropic: 'https://api.individual.githubcopilot.com',
    },
    () => import('./data/github-copilot.json', { with: { type: 'json' } }),
  ),
  vendor(
    'groq',
    'Groq',
    ['GROQ_API_KEY'],
    chat('https://api.groq.com/openai/v1'),
    () => import('./data/groq.json', { with: { type: 'json' } }),
  ),
  vendor(
    'cerebras',
    'Cerebras',
    ['CEREBRAS_API_KEY'],
    chat('https://api.cerebras.ai/v1'),
    () => import('./data/cerebras.json', { with: { type: 'json' } }),
  ),
  vendor(
    'together',
    'Together',
    ['TOGETHER_API_KEY'],
    chat('https://api.together.ai/v1'),
    () => import('./data/together.json', { with: { type: 'json' } }),
  ),
  vendor(
    'fireworks',
    'Fireworks',
    ['FIREWORKS_API_KEY'],
    { 'openai-chat': 'https://api.fireworks.ai/inference/v1', anthropic: 'https://api.fireworks.ai/inference' },
    () => import('./data/fireworks.json', { with: { type: 'json' } }),
  ),
  vendor(
    'baseten',
    'Baseten',
    ['BASETEN_API_KEY'],
    chat('https://inference.baseten.co/v1'),
    () => import('./data/baseten.json', { with: { type: 'json' } }),
  ),
  vendor(
    'nvidia',
    'NVIDIA',
    ['NVIDIA_API_KEY'],
    chat('https://integrate.api.nvidia.com/v1'),
    () => import('./data/nvidia.json', { with: { type: 'json' } }),
    { 'NVCF-POLL-SECONDS': '3600' },
  ),
  vendor(
    'cloudflare-workers-ai',
    'Cloudflare Workers AI',
    ['CLOUDFLARE_API_KEY'],
    chat('https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1'),
    () => import('./data/cloudflare-workers-ai.json', { with: { type: 'json' } }),
  ),
  vendor(
    'huggingface',
    'Hugging Face',
    ['HF_TOKEN'],
    chat('https://router.huggingface.co/v1'),
    () => import('./data/huggingface.json', { with: { type: 'json' } }),
  ),
  vendor(
    'opencode',
    'OpenCode Zen',
    ['OPENCODE_API_KEY'],
    {
      'openai-chat': 'https://opencode.ai/inference/openai/v1',
      'openai-responses': 'https://opencode.ai/inference/openai/v1',
      anthropic: 'https://opencode.ai/inference/anthropic',
      google: 'https://opencode.ai/inference/google/v1beta',
    },
    () => import('./data/opencode.json', { with: { type: 'json' } }),
  ),
  vendor(
    'opencode-go',
    'OpenCode Go',
    ['OPENCODE_API_KEY'],
    {
      'openai-chat': 'https://opencode.ai/inference/go/openai/v1',
      'openai-responses': 'https://opencode.ai/inference/go/openai/v1',
      anthropic: 'https://opencode.ai/inference/go/anthropic',
      google: 'https://opencode.ai/inference/go/google/v1beta',
    },
    () => import('./data/opencode-go.json', { with: { type: 'json' } }),
  ),
  vendor(
    'vercel-ai-gateway',
    'Vercel AI Gateway',
    ['AI_GATEWAY_API_KEY'],
    { anthropic: 'https://ai-gateway.vercel.sh' },
    () => import('./data/vercel-ai-gateway.json', { with: { type: 'json' } }),
  ),
  vendor(
    'openrouter',
    'OpenRouter',
    ['OPENROUTER_API_KEY'],
    { 'openai-chat': 'https://openrouter.ai/api/v1', anthropic: 'https://openrouter.ai/api' },
    () => import('./data/openrouter.json', { with: { type: 'json' } }),
  ),
];
