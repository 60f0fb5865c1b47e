/** What keys and tokens look like, whoever made them. The first group, where there is one, stays. */
const shapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\b(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,})/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:gsk|xai|hf|r8|nvapi|csk|fw|tgp|pplx)[-_][A-Za-z0-9_-]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /(\bBearer\s+)[A-Za-z0-9._~+/-]{12,}=*/gi,
  /(\bBasic\s+)[A-Za-z0-9+/]{12,}={0,2}/g,
  /(\b(?:x-api-key|api-key|x-goog-api-key|authorization|access_token|refresh_token|client_secret)["']?\s*[:=]\s*["']?)[^\s"',&]{8,}/gi,
  /([?&](?:key|api_key|access_token|token|code)=)[^\s"'&#]{8,}/gi,
  /(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

/** A shorter value is a word like any other: to take it out would tear texts apart. */
const shortest = 6;

/** The text with `[key]` in the place of these secrets, and of whatever looks like one. */
export function redactText(text: string, secrets: Iterable<string> = []): string {
  const parts = [...secrets].flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  const known = [...new Set(parts)].filter((part) => part.length >= shortest).sort((a, b) => b.length - a.length);
  const clean = known.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  return shapes.reduce(
    (rest, shape) => rest.replace(shape, (_, kept?: unknown) => `${typeof kept === 'string' ? kept : ''}[key]`),
    clean,
  );
}
