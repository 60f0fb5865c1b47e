import type { ModelErrorCode } from '../contract.ts';

/** What an answer that is no reply means, told by its status, its text, or both. */
export interface FailureRow {
  readonly provider: string;
  /** A status, or the first and the last of several. Without: any, also none (an error within a stream). */
  readonly status?: number | readonly [first: number, last: number];
  readonly text?: RegExp;
  readonly code: ModelErrorCode;
  /** What such an answer says. */
  readonly example: string;
  /** Where the provider documents it, or where it was seen. */
  readonly source: string;
}

const anthropic = 'https://docs.claude.com/en/api/errors';
const openai = 'https://platform.openai.com/docs/guides/error-codes';
const google = 'https://ai.google.dev/gemini-api/docs/troubleshooting';
const googleLimits = 'https://ai.google.dev/gemini-api/docs/rate-limits';
const openrouter = 'https://openrouter.ai/docs/api/errors';
const bedrock = 'https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html';
const zai = 'https://docs.z.ai/api-reference/api-code';
const groq = 'https://console.groq.com/docs/errors';
const deepseek = 'https://api-docs.deepseek.com/quick_start/error_codes';
const together = 'https://docs.together.ai/docs/error-codes';
const moonshot = 'https://platform.moonshot.ai/docs/api/chat#error-description';
const http = 'https://www.iana.org/assignments/http-status-codes';

/**
 * The first row that fits decides. Texts come before statuses: one status means several things (a 429 is a limit that
 * passes, an empty account or a request that is too long), and errors within a stream have none.
 */
export const failureTable: readonly FailureRow[] = [
  row('any', 404, undefined, 'model_not_found', 'model: no-such-model', http),

  // --- Limits that pass, and speak of quotas or tokens ---
  row(
    'Google',
    undefined,
    /retry in [\d.]+ ?m?s|retryDelay/i,
    'model_rate_limited',
    'You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.',
    googleLimits,
  ),
  row(
    'OpenAI',
    undefined,
    /rate_limit_exceeded|Rate limit reached for/,
    'model_rate_limited',
    'Rate limit reached for gpt-5 on requests per min (RPM): Limit 3. Please try again in 20s. Add a payment method at https://platform.openai.com/account/billing.',
    openai,
  ),
  row(
    'Amazon Bedrock',
    undefined,
    /ThrottlingException|Too many tokens, please wait/i,
    'model_rate_limited',
    'ThrottlingException: Too many tokens, please wait before trying again.',
    bedrock,
  ),

  // --- Longer than the model takes ---
  row(
    'Anthropic',
    undefined,
    /prompt is too long|exceed context limit|request_too_large/i,
    'model_context_overflow',
    'prompt is too long: 210011 tokens > 200000 maximum',
    anthropic,
  ),
  row(
    'OpenAI, vLLM, OpenRouter, Mistral',
    undefined,
    /context_length_exceeded|maximum context length|exceeds the context window/i,
    'model_context_overflow',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens.",
    openai,
  ),
  row(
    'OpenAI, Groq',
    [400, 429],
    /Request too large for|reduce the length of the messages/i,
    'model_context_overflow',
    'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 47000.',
    groq,
  ),
  row(
    'Google',
    undefined,
    /input token count.*exceeds the maximum/i,
    'model_context_overflow',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).',
    google,
  ),
  row(
    'xAI',
    undefined,
    /maximum prompt length is \d+/i,
    'model_context_overflow',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'https://github.com/cline/cline/issues/3120',
  ),
  row(
    'Amazon Bedrock',
    undefined,
    /input is too long for requested model/i,
    'model_context_overflow',
    'ValidationException: Input is too long for requested model.',
    bedrock,
  ),
  row(
    'GitHub Copilot',
    undefined,
    /prompt token count of \d+ exceeds the limit/i,
    'model_context_overflow',
    'prompt token count of 140000 exceeds the limit of 128000',
    'https://github.com/microsoft/copilot-intellij-feedback/issues/94',
  ),
  row(
    'Moonshot',
    undefined,
    /exceeded model token limit/i,
    'model_context_overflow',
    'Invalid request: Your request exceeded model token limit: 131072',
    moonshot,
  ),
  row(
    'MiniMax',
    undefined,
    /context window exceeds limit/i,
    'model_context_overflow',
    'invalid params, context window exceeds limit',
    'https://github.com/MiniMax-AI/MiniMax-M2/issues/119',
  ),
  row(
    'Z.AI',
    undefined,
    /prompt exceeds max length/i,
    'model_context_overflow',
    'Prompt exceeds max length',
    'https://github.com/NousResearch/hermes-agent/pull/1877',
  ),
  row(
    'Together',
    undefined,
    /`?inputs`? tokens \+ `?max_new_tokens`? must be|input token count \+ max_tokens/i,
    'model_context_overflow',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769',
    together,
  ),
  row(
    'llama.cpp',
    undefined,
    /exceed_context_size|exceeds the available context size/i,
    'model_context_overflow',
    'the request exceeds the available context size (4096 tokens), try increasing it',
    'https://github.com/ggml-org/llama.cpp/pull/15780',
  ),
  row(
    'LM Studio',
    undefined,
    /greater than the context length|when (the )?context the overflows/i,
    'model_context_overflow',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/237',
  ),
  row('any', 413, undefined, 'model_context_overflow', 'Request Entity Too Large', http),
  row(
    'any',
    [400, 428],
    /context[_ ]length|context window|exceed[_ ]context|context size|too many (input )?tokens|input is too long|input length.*exceed/i,
    'model_context_overflow',
    'input length exceeds the context length',
    http,
  ),
  row(
    'any',
    undefined,
    /^(?!.*(overloaded|unavailable)).*(context[_ ]length|context window|too many (input )?tokens)/i,
    'model_context_overflow',
    'context length exceeded',
    http,
  ),

  // --- An account without money, or over its limit: nothing that passes in a minute ---
  row(
    'OpenRouter',
    402,
    /in_flight_budget/,
    'model_rate_limited',
    '{"error":{"code":402,"message":"Too many requests in flight","metadata":{"limit_source":"openrouter_in_flight_budget"}}}',
    openrouter,
  ),
  row('any', 402, undefined, 'model_quota', 'Insufficient Balance', deepseek),
  row(
    'Anthropic',
    undefined,
    /credit balance is too low|enforced_spend_limit_reached|usage limits?.*regain access|billing_error/i,
    'model_quota',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    anthropic,
  ),
  row(
    'OpenAI',
    undefined,
    /insufficient_quota|exceeded your current quota|credit_balance_exhausted|(spend|usage)_limit_exceeded|billing_(hard_limit_reached|not_active)/i,
    'model_quota',
    'You exceeded your current quota, please check your plan and billing details.',
    openai,
  ),
  row(
    'Z.AI',
    undefined,
    /insufficient balance|account balance exhausted|in arrears/i,
    'model_quota',
    'Insufficient balance or no resource package. Please recharge.',
    zai,
  ),
  row(
    'any',
    undefined,
    /payment required|insufficient[_ ]credits?|credit balance/i,
    'model_quota',
    'Insufficient credits. Add more.',
    openrouter,
  ),

  // --- The key ---
  row(
    'Google',
    400,
    /API key not valid|API_KEY_INVALID|API key expired/i,
    'model_unauthorized',
    'API key not valid. Please pass a valid API key.',
    google,
  ),
  row(
    'OpenRouter',
    403,
    /flagged|moderation/i,
    'model_bad_request',
    'Input was flagged: requires moderation',
    openrouter,
  ),
  row('any', 401, undefined, 'model_unauthorized', 'invalid x-api-key', http),
  row(
    'any',
    403,
    undefined,
    'model_unauthorized',
    'Your API key does not have permission to use the specified resource.',
    http,
  ),

  // --- What passes ---
  row('any', 429, undefined, 'model_rate_limited', 'Too Many Requests', http),
  row('any', 408, undefined, 'model_overloaded', 'Request Timeout', http),
  row('any', 409, undefined, 'model_overloaded', 'conflict_error', anthropic),
  row('any', 425, undefined, 'model_overloaded', 'Too Early', http),
  row('Groq', 498, undefined, 'model_overloaded', 'Flex tier capacity exceeded', groq),
  row('any', 501, undefined, 'model_bad_request', 'Not Implemented', http),
  row('Anthropic', 529, undefined, 'model_overloaded', 'overloaded_error', anthropic),
  row('any', [500, 599], undefined, 'model_overloaded', 'Service Unavailable', http),

  // --- Anything else that a server refuses ---
  row('any', [400, 499], undefined, 'model_bad_request', 'messages: at least one message is required', http),

  // --- Errors within a stream, without a status ---
  row(
    'any',
    undefined,
    /rate.?limit|too many requests|resource.?exhausted/i,
    'model_rate_limited',
    '{"type":"error","error":{"type":"rate_limit_error"}}',
    anthropic,
  ),
  row(
    'any',
    undefined,
    /overloaded|unavailable|api_error|server_error|internal|timeout/i,
    'model_overloaded',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    anthropic,
  ),
  row(
    'any',
    undefined,
    /authentication|permission|api key/i,
    'model_unauthorized',
    '{"type":"error","error":{"type":"authentication_error"}}',
    anthropic,
  ),
  row(
    'any',
    undefined,
    /not_found/i,
    'model_not_found',
    '{"type":"error","error":{"type":"not_found_error"}}',
    anthropic,
  ),
  row(
    'any',
    undefined,
    /invalid_request/i,
    'model_bad_request',
    '{"type":"error","error":{"type":"invalid_request_error"}}',
    anthropic,
  ),
];

function row(
  provider: string,
  status: FailureRow['status'],
  text: RegExp | undefined,
  code: ModelErrorCode,
  example: string,
  source: string,
): FailureRow {
  return {
    provider,
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { text }),
    code,
    example,
    source,
  };
}

/** What an answer means. Without a status that of an error within the body counts, where it names one. */
export function codeOfAnswer(status: number | undefined, body: string): ModelErrorCode {
  const known = status ?? statusIn(body);
  return failureTable.find((candidate) => fits(candidate, known, body))?.code ?? 'model_bad_response';
}

function fits(candidate: FailureRow, status: number | undefined, body: string): boolean {
  if (candidate.status !== undefined) {
    const [first, last] =
      typeof candidate.status === 'number' ? [candidate.status, candidate.status] : candidate.status;
    if (status === undefined || status < first || status > last) return false;
  }
  return candidate.text === undefined || candidate.text.test(body);
}

/** Gateways answer 200 and put the status into the stream: `{"error":{"code":502}}`. */
function statusIn(body: string): number | undefined {
  const found = /"(?:code|status|status_code)"\s*:\s*"?([45]\d\d)\b/.exec(body)?.[1];
  return found === undefined ? undefined : Number(found);
}
