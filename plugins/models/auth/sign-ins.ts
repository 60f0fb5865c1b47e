import type { OAuthDefinition } from 'kern/contracts';

/**
 * How one signs in to vendors with a subscription. They document none of this for other programs than their own: the
 * addresses and names are those that public programs use (pi-ai 1.6.0, MIT, among them), and have not been tried from here
 * against the vendors' servers. What such programs say of themselves in order to be taken for the vendor's own is left out.
 */
export const signIns: readonly OAuthDefinition[] = [
  {
    id: 'anthropic',
    displayName: 'Anthropic (Claude Pro or Max)',
    clientId: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    scopes: ['org:create_api_key', 'user:profile', 'user:inference'],
    browser: {
      authorizeUrl: 'https://claude.ai/oauth/authorize',
      redirect: { host: 'localhost', path: '/callback' },
      parameters: { code: 'true' },
    },
    tokenUrl: 'https://platform.claude.com/v1/oauth/token',
    tokenBody: 'json',
    hosts: ['api.anthropic.com'],
    requestHeaders: { 'anthropic-beta': 'oauth-2025-04-20' },
    accountFrom: [['account', 'email_address']],
  },
  {
    id: 'openai-codex',
    displayName: 'OpenAI (ChatGPT Plus or Pro)',
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    browser: {
      authorizeUrl: 'https://auth.openai.com/oauth/authorize',
      redirect: { host: 'localhost', port: 1455, path: '/auth/callback' },
      parameters: { id_token_add_organizations: 'true', codex_cli_simplified_flow: 'true', originator: 'kern' },
    },
    tokenUrl: 'https://auth.openai.com/oauth/token',
    issuer: 'https://auth.openai.com',
    hosts: ['chatgpt.com'],
    requestHeaders: { originator: 'kern', 'OpenAI-Beta': 'responses=experimental' },
    claimHeaders: { 'chatgpt-account-id': ['https://api.openai.com/auth', 'chatgpt_account_id'] },
    accountFrom: [['email']],
  },
  {
    id: 'github-copilot',
    displayName: 'GitHub Copilot',
    clientId: 'Iv1.b507a08c87ecfe98',
    scopes: ['read:user'],
    device: { url: 'https://github.com/login/device/code' },
    tokenUrl: 'https://github.com/login/oauth/access_token',
    exchange: {
      url: 'https://api.github.com/copilot_internal/v2/token',
      headers: { 'user-agent': 'kern', 'editor-version': 'kern/1', 'editor-plugin-version': 'kern/1' },
      baseUrl: ['endpoints', 'api'],
    },
    hosts: ['githubcopilot.com'],
    requestHeaders: {
      'editor-version': 'kern/1',
      'editor-plugin-version': 'kern/1',
      'copilot-integration-id': 'vscode-chat',
    },
  },
];
