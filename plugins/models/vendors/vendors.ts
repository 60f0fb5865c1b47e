import type { ModelWire } from 'kern/contracts';

/** A vendor whose servers speak one of kern's wires, or several. */
export interface Vendor {
  readonly id: string;
  readonly displayName: string;
  /** Variables with the key, the first that is set counts. None: one can only sign in. */
  readonly env: readonly string[];
  /** `{NAME}` is a variable of the environment. The first wire is that of models nobody has described. */
  readonly baseUrls: Readonly<Partial<Record<ModelWire, string>>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its servers are those of the wire's maker, and know what copies of them do not. */
  readonly official?: boolean;
  /** What the public catalogue calls it, where that is not its id. */
  readonly catalogId?: string;
}

const chat = (url: string): Vendor['baseUrls'] => ({ 'openai-chat': url });

/** In the order in which a model is looked for: first who makes models, then who serves those of others. */
export const vendors: readonly Vendor[] = [
  { id: 'xai', displayName: 'xAI', env: ['XAI_API_KEY'], baseUrls: { 'openai-responses': 'https://api.x.ai/v1' } },
  { id: 'deepseek', displayName: 'DeepSeek', env: ['DEEPSEEK_API_KEY'], baseUrls: chat('https://api.deepseek.com') },
  { id: 'mistral', displayName: 'Mistral', env: ['MISTRAL_API_KEY'], baseUrls: chat('https://api.mistral.ai/v1') },
  {
    id: 'meta',
    displayName: 'Meta',
    env: ['META_API_KEY'],
    baseUrls: { 'openai-responses': 'https://api.meta.ai/v1' },
  },
  { id: 'zai', displayName: 'Z.AI', env: ['ZAI_API_KEY'], baseUrls: chat('https://api.z.ai/api/coding/paas/v4') },
  {
    id: 'zai-coding-cn',
    displayName: 'Z.AI (China)',
    env: ['ZAI_CODING_CN_API_KEY'],
    baseUrls: chat('https://open.bigmodel.cn/api/coding/paas/v4'),
    catalogId: 'zhipuai-coding-plan',
  },
  {
    id: 'moonshotai',
    displayName: 'Moonshot AI',
    env: ['MOONSHOT_API_KEY'],
    baseUrls: chat('https://api.moonshot.ai/v1'),
  },
  {
    id: 'moonshotai-cn',
    displayName: 'Moonshot AI (China)',
    env: ['MOONSHOT_CN_API_KEY'],
    baseUrls: chat('https://api.moonshot.cn/v1'),
  },
  {
    id: 'kimi-coding',
    displayName: 'Kimi for Coding',
    env: ['KIMI_API_KEY'],
    baseUrls: chat('https://api.kimi.com/coding/v1'),
    catalogId: 'kimi-for-coding',
  },
  {
    id: 'minimax',
    displayName: 'MiniMax',
    env: ['MINIMAX_API_KEY'],
    baseUrls: { anthropic: 'https://api.minimax.io/anthropic' },
  },
  {
    id: 'minimax-cn',
    displayName: 'MiniMax (China)',
    env: ['MINIMAX_CN_API_KEY'],
    baseUrls: { anthropic: 'https://api.minimaxi.com/anthropic' },
  },
  { id: 'xiaomi', displayName: 'Xiaomi', env: ['XIAOMI_API_KEY'], baseUrls: chat('https://api.xiaomimimo.com/v1') },
  {
    id: 'xiaomi-token-plan-ams',
    displayName: 'Xiaomi Token Plan (Europe)',
    env: ['XIAOMI_TOKEN_PLAN_AMS_API_KEY'],
    baseUrls: chat('https://token-plan-ams.xiaomimimo.com/v1'),
  },
  {
    id: 'xiaomi-token-plan-cn',
    displayName: 'Xiaomi Token Plan (China)',
    env: ['XIAOMI_TOKEN_PLAN_CN_API_KEY'],
    baseUrls: chat('https://token-plan-cn.xiaomimimo.com/v1'),
  },
  {
    id: 'xiaomi-token-plan-sgp',
    displayName: 'Xiaomi Token Plan (Singapore)',
    env: ['XIAOMI_TOKEN_PLAN_SGP_API_KEY'],
    baseUrls: chat('https://token-plan-sgp.xiaomimimo.com/v1'),
  },
  {
    id: 'qwen-token-plan',
    displayName: 'Qwen Token Plan',
    env: ['QWEN_TOKEN_PLAN_TEAM_API_KEY', 'QWEN_TOKEN_PLAN_API_KEY'],
    baseUrls: chat('https://token-plan.maas.qwencloudapi.com/compatible-mode/v1'),
  },
  {
    id: 'qwen-token-plan-cn',
    displayName: 'Qwen Token Plan (China)',
    env: ['QWEN_TOKEN_PLAN_TEAM_CN_API_KEY', 'QWEN_TOKEN_PLAN_CN_API_KEY'],
    baseUrls: chat('https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1'),
  },
  {
    id: 'qwen-token-plan-individual',
    displayName: 'Qwen Token Plan (individual)',
    env: ['QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY'],
    baseUrls: chat('https://token-plan.maas.qwencloudapi.com/compatible-mode/v1'),
  },
  {
    id: 'qwen-token-plan-individual-cn',
    displayName: 'Qwen Token Plan (individual, China)',
    env: ['QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY'],
    baseUrls: chat('https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1'),
  },
  { id: 'ant-ling', displayName: 'Ant Ling', env: ['ANT_LING_API_KEY'], baseUrls: chat('https://api.ant-ling.com/v1') },
  {
    id: 'github-copilot',
    displayName: 'GitHub Copilot',
    env: [],
    baseUrls: {
      'openai-chat': 'https://api.individual.githubcopilot.com',
      'openai-responses': 'https://api.individual.githubcopilot.com',
      anthropic: 'https://api.individual.githubcopilot.com',
    },
  },
  {
    id: 'openai-codex',
    displayName: 'OpenAI (ChatGPT)',
    env: [],
    baseUrls: { 'openai-responses': 'https://chatgpt.com/backend-api/codex' },
    official: true,
  },
  { id: 'groq', displayName: 'Groq', env: ['GROQ_API_KEY'], baseUrls: chat('https://api.groq.com/openai/v1') },
  { id: 'cerebras', displayName: 'Cerebras', env: ['CEREBRAS_API_KEY'], baseUrls: chat('https://api.cerebras.ai/v1') },
  {
    id: 'together',
    displayName: 'Together',
    env: ['TOGETHER_API_KEY'],
    baseUrls: chat('https://api.together.ai/v1'),
    catalogId: 'togetherai',
  },
  {
    id: 'fireworks',
    displayName: 'Fireworks',
    env: ['FIREWORKS_API_KEY'],
    baseUrls: {
      'openai-chat': 'https://api.fireworks.ai/inference/v1',
      anthropic: 'https://api.fireworks.ai/inference',
    },
    catalogId: 'fireworks-ai',
  },
  {
    id: 'baseten',
    displayName: 'Baseten',
    env: ['BASETEN_API_KEY'],
    baseUrls: chat('https://inference.baseten.co/v1'),
  },
  {
    id: 'nvidia',
    displayName: 'NVIDIA',
    env: ['NVIDIA_API_KEY'],
    baseUrls: chat('https://integrate.api.nvidia.com/v1'),
    headers: { 'NVCF-POLL-SECONDS': '3600' },
  },
  {
    id: 'cloudflare-workers-ai',
    displayName: 'Cloudflare Workers AI',
    env: ['CLOUDFLARE_API_KEY'],
    baseUrls: chat('https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1'),
  },
  {
    id: 'huggingface',
    displayName: 'Hugging Face',
    env: ['HF_TOKEN'],
    baseUrls: chat('https://router.huggingface.co/v1'),
  },
  {
    id: 'opencode',
    displayName: 'OpenCode Zen',
    env: ['OPENCODE_API_KEY'],
    baseUrls: {
      'openai-chat': 'https://opencode.ai/inference/openai/v1',
      'openai-responses': 'https://opencode.ai/inference/openai/v1',
      anthropic: 'https://opencode.ai/inference/anthropic',
      google: 'https://opencode.ai/inference/google/v1beta',
    },
  },
  {
    id: 'opencode-go',
    displayName: 'OpenCode Go',
    env: ['OPENCODE_API_KEY'],
    baseUrls: {
      'openai-chat': 'https://opencode.ai/inference/go/openai/v1',
      'openai-responses': 'https://opencode.ai/inference/go/openai/v1',
      anthropic: 'https://opencode.ai/inference/go/anthropic',
      google: 'https://opencode.ai/inference/go/google/v1beta',
    },
  },
  {
    id: 'vercel-ai-gateway',
    displayName: 'Vercel AI Gateway',
    env: ['AI_GATEWAY_API_KEY'],
    baseUrls: { anthropic: 'https://ai-gateway.vercel.sh' },
    catalogId: 'vercel',
  },
  {
    id: 'openrouter',
    displayName: 'OpenRouter',
    env: ['OPENROUTER_API_KEY'],
    baseUrls: { 'openai-chat': 'https://openrouter.ai/api/v1', anthropic: 'https://openrouter.ai/api' },
  },
];
