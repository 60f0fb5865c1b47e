import { expect, test } from 'vitest';
import { cleanEnvironment, isProviderSecret, withAdded } from './environment.ts';

test.each([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_OAUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GOOGLE_API_KEY',
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
  'EXA_API_KEY',
  'BRAVE_SEARCH_API_KEY',
  'TAVILY_API_KEY',
  'COPILOT_GITHUB_TOKEN',
  'GROQ_API_KEY',
  'GOOGLE_CLIENT_SECRET',
  'openai_api_key',
  'CLOUDFLARE_API_KEY',
  'CLOUDFLARE_API_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
])('%s does not reach a child', (name) => {
  expect(isProviderSecret(name)).toBe(true);
  expect(cleanEnvironment({ [name]: 'secret' })).toEqual({});
});

test.each([
  'HOME',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'NPM_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
  'CLOUDFLARE_ACCOUNT_ID',
  'OPENAI_BASE_URL',
  'MY_API_KEY',
  'SSH_AUTH_SOCK',
  'GOOGLE_CLOUD_PROJECT',
])('%s reaches a child', (name) => {
  expect(cleanEnvironment({ [name]: 'kept' })).toEqual({ [name]: 'kept' });
});

test("a key that a person has given kern is no child's either; what is named in the settings is", () => {
  const env = { ACME_KEY: 'a', OTHER_KEY: 'o', OPENAI_API_KEY: 'k', GROQ_API_KEY: 'g' };
  const amazon = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
  expect(cleanEnvironment(amazon, { passed: Object.keys(amazon) })).toEqual(amazon);
  expect(cleanEnvironment(env, { held: ['ACME_KEY'], passed: ['OPENAI_API_KEY'] })).toEqual({
    OTHER_KEY: 'o',
    OPENAI_API_KEY: 'k',
  });
});

test('what npm put there for its script is gone, and its folders at the front of PATH', () => {
  const env = cleanEnvironment({
    npm_lifecycle_event: 'start',
    npm_config_registry: 'https://example.com',
    npm_package_name: 'kern',
    INIT_CWD: '/x',
    NODE: '/x/node',
    KERN_LAUNCHER_FD: '3',
    PATH: '/w/kern/node_modules/.bin:/w/node_modules/.bin:/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/usr/local/bin:/usr/bin',
    HOME: '/home/ada',
  });
  expect(env).toEqual({ PATH: '/usr/local/bin:/usr/bin', HOME: '/home/ada' });
});

test('an entry of PATH that means the working folder is gone: a project has programs of its own', () => {
  expect(cleanEnvironment({ PATH: ':/usr/local/bin:.:node_modules/.bin:./bin:/usr/bin:' })).toEqual({
    PATH: '/usr/local/bin:/usr/bin',
  });
});

test('without npm above, PATH and the settings of npm are the own ones of the user', () => {
  const own = { PATH: '/home/ada/p/node_modules/.bin:/usr/bin', npm_config_registry: 'https://mirror.example.com' };
  expect(cleanEnvironment(own)).toEqual(own);
});

test('what a caller adds is there, and undefined takes a name away', () => {
  expect(withAdded({ A: '1', B: '2' }, { B: undefined, C: '3', OPENAI_API_KEY: 'asked for' })).toEqual({
    A: '1',
    C: '3',
    OPENAI_API_KEY: 'asked for',
  });
});
