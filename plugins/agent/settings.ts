import { lazySettings, type View } from 'kern/plugin';
import { z } from 'zod';

const tokens = (most: string): z.ZodInt => z.int().min(0).describe(most);

/** The settings under `plugins.agent`. */
export const agentSchema = () =>
  z.object({
    steeringMode: z
      .enum(['one-at-a-time', 'all'])
      .default('one-at-a-time')
      .describe('What steers a run is said one at a time, an answer between, or all at once'),
    followUpMode: z
      .enum(['one-at-a-time', 'all'])
      .default('one-at-a-time')
      .describe('What follows when the model would stop is said one at a time, or all at once'),
    retry: z
      .object({
        enabled: z.boolean().default(true).describe('Try again when a request fails for a reason that passes'),
        maxRetries: z.int().min(0).max(20).default(3).describe('Tries after the first, of one model'),
        baseDelayMs: z.int().min(0).default(2_000).describe('Before the second try; doubles with each'),
        maxDelayMs: z.int().min(0).default(60_000).describe('A longer wait is an error instead'),
        cooldownMs: z
          .int()
          .min(0)
          .default(300_000)
          .describe('How long a model is left alone after a fallback took its place'),
        fallbackChains: z
          .record(z.string(), z.array(z.string()))
          .default({})
          .describe('Models to ask when one cannot answer, by role: default: [anthropic/claude-…, openai/gpt-…]'),
      })
      .prefault({})
      .describe('What happens when a model cannot answer'),
    compaction: z
      .object({
        enabled: z.boolean().default(true).describe('Summarise old words when the context is nearly full'),
        strategy: z.string().default('summary').describe('How old words become few'),
        model: z
          .string()
          .optional()
          .describe('Who writes the summaries, as provider/id; default: the model of the session'),
        reserveTokens: tokens('What is left free for the next reply').default(16_384),
        keepRecentTokens: tokens('What stays as it was said').default(20_000),
        thresholdPercent: z
          .number()
          .min(1)
          .max(100)
          .optional()
          .describe('Compact when the context is that full, instead of by reserveTokens'),
      })
      .prefault({})
      .describe('What happens when the context is full'),
    budget: z
      .object({
        maxCost: z
          .number()
          .positive()
          .optional()
          .describe('US dollars; a model whose price is unknown is then refused'),
        maxTurns: z.int().positive().optional().describe('Requests, with the tool calls of their replies'),
        maxSeconds: z.number().positive().optional().describe('Time in which something runs'),
      })
      .prefault({})
      .describe('What a session may use up before it is stopped; --max-cost, --max-turns and --max-time go before it'),
    branchSummary: z
      .object({ reserveTokens: tokens('What is left free beside what is summarised').default(16_384) })
      .prefault({})
      .describe('Summaries of branches that are left'),
    title: z
      .object({
        enabled: z.boolean().default(true).describe('Give a session a title after its first turn'),
        always: z
          .boolean()
          .default(false)
          .describe(
            'Ask a model for it also where the session ends with its prompts (`kern -p`), instead of taking their first words',
          ),
        model: z
          .string()
          .optional()
          .describe('Who writes it, as provider/id; default: a small model of the same provider'),
      })
      .prefault({})
      .describe('Titles of sessions'),
  });

export type AgentSettings = z.infer<ReturnType<typeof agentSchema>>;

/** What they are where nobody says. */
export const usualSettings: AgentSettings = {
  steeringMode: 'one-at-a-time',
  followUpMode: 'one-at-a-time',
  retry: {
    enabled: true,
    maxRetries: 3,
    baseDelayMs: 2_000,
    maxDelayMs: 60_000,
    cooldownMs: 300_000,
    fallbackChains: {},
  },
  compaction: { enabled: true, strategy: 'summary', reserveTokens: 16_384, keepRecentTokens: 20_000 },
  budget: {},
  branchSummary: { reserveTokens: 16_384 },
  title: { enabled: true, always: false },
};

export const agentSettings = lazySettings(usualSettings, agentSchema);

/**
 * Answers with the settings as they are at the moment of asking: a running session goes by what was edited a moment
 * ago. A value that cannot be is left out, as where the plugin was loaded, which is where it was complained about.
 */
export function settingsOf(view: View): () => AgentSettings {
  let read: { readonly from: unknown; readonly settings: AgentSettings } | undefined;
  return () => {
    const from = view.setting('plugins.agent');
    // The same object as long as the config says the same.
    if (read === undefined || read.from !== from) read = { from, settings: lenient(from) };
    return read.settings;
  };
}

function lenient(from: unknown): AgentSettings {
  if (!isMap(from)) return usualSettings;
  const schema = agentSchema();
  for (let given = from; ; ) {
    const { data, error } = schema.safeParse(given);
    if (data !== undefined) return data;
    for (const { path } of error.issues) given = without(given, path.map(String));
  }
}

function without(map: Readonly<Record<string, unknown>>, [key, ...rest]: readonly string[]): Record<string, unknown> {
  if (key === undefined) return {};
  const { [key]: inner, ...others } = map;
  if (rest.length === 0 || !isMap(inner)) return others;
  return { ...others, [key]: without(inner, rest) };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
