import { type AgentSession, type ImageContent, type Prompt, slashCommands, toolFaces } from 'kern/contracts';
import { KernError, type SendAs } from 'kern/plugin';
import { type Extension, isRecord } from './extension.ts';
import type { Runs } from './follow.ts';

interface CustomText {
  readonly customType: string;
  readonly content: unknown;
  readonly display?: boolean;
  readonly details?: unknown;
}

interface SendOptions {
  readonly triggerTurn?: boolean;
  readonly deliverAs?: string;
}

/** What an extension says in a conversation. */
export interface UserMessages {
  sendMessage(message: CustomText, options?: SendOptions): void;
  sendUserMessage(content: unknown, options?: SendOptions & { readonly expandPromptTemplates?: boolean }): void;
  activeTools(): readonly string[];
}

const lanes: Readonly<Record<string, SendAs>> = { steer: 'steer', followUp: 'followUp', nextTurn: 'nextTurn' };

export function userMessages(extension: Extension, runs: Runs): UserMessages {
  const send = (session: AgentSession, prompt: Prompt, as: SendAs): void =>
    extension.inSession(session, () => {
      if (as === 'followUp') session.followUp(prompt);
      else if (as === 'steer') session.steer(prompt);
      else session.note(prompt);
    });
  return {
    sendMessage(message, options = {}) {
      const session = extension.liveSession('pi.sendMessage');
      if (!isRecord(message) || typeof message.customType !== 'string')
        throw new KernError(
          'bad_message',
          `the extension ${extension.name}: pi.sendMessage takes {customType, content}`,
          {
            hint: 'pi.sendMessage({ customType: "my-extension", content: "…", display: true })',
          },
        );
      const { customType, display = true, details } = message;
      const prompt: Prompt = {
        ...partsOf(message.content),
        custom: { customType, display, ...(details === undefined ? {} : { details }) },
      };
      const wanted = laneOf(extension, options.deliverAs);
      // Without a run to join, and none wanted, it goes along with the next prompt.
      const isQuiet = runs.isIdle(session) && options.triggerTurn !== true;
      send(session, prompt, isQuiet || options.triggerTurn === false ? 'nextTurn' : (wanted ?? 'steer'));
    },
    sendUserMessage(content, options = {}) {
      const session = extension.liveSession('pi.sendUserMessage');
      const prompt = partsOf(content);
      const wanted = laneOf(extension, options.deliverAs);
      if (wanted === undefined && !runs.isIdle(session))
        throw new KernError('run_in_progress', `the extension ${extension.name} sent a message while the agent works`, {
          hint: 'say when it is heard: { deliverAs: "steer" } or { deliverAs: "followUp" }',
        });
      if (options.expandPromptTemplates === true && wanted === undefined && prompt.text.startsWith('/')) {
        extension.track(extension.inSession(session, () => expanded(extension, session, prompt)));
        return;
      }
      send(session, prompt, wanted ?? 'steer');
    },
    activeTools: () => {
      const session = extension.session();
      return session === undefined ? [] : toolFaces(session.view).map(({ name }) => name);
    },
  };
}

function laneOf(extension: Extension, deliverAs: string | undefined): SendAs | undefined {
  if (deliverAs === undefined) return undefined;
  // oh-my-pi: heard beside the work, which is what steering comes to here.
  const lane = deliverAs === 'aside' ? 'steer' : lanes[deliverAs];
  if (lane !== undefined) return lane;
  throw new KernError(
    'bad_message',
    `the extension ${extension.name}: deliverAs ${JSON.stringify(deliverAs)} is none`,
    {
      hint: 'deliverAs is steer, followUp or nextTurn',
    },
  );
}

/** The command of an extension runs where no run is; everything else is said as a person says it. */
async function expanded(extension: Extension, session: AgentSession, prompt: Prompt): Promise<void> {
  const { ctx } = extension;
  const [, name = '', args = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(prompt.text) ?? [];
  await session.waitForIdle();
  await ctx.use(slashCommands).load(ctx.signal, name);
  const entry = session.view.use(slashCommands).get(name);
  if (entry?.item.run === undefined) {
    await session.prompt(prompt);
    return;
  }
  const said = await session.view.run(entry, (command) => command.run?.(args, ctx.signal));
  if (said !== undefined && said !== '') session.view.ui.notify(said);
}

/** Text and images of what pi calls content: a text, or a list of parts. */
export function partsOf(content: unknown): { readonly text: string; readonly images?: readonly ImageContent[] } {
  if (typeof content === 'string') return { text: content };
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const text = parts.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  const images = parts.flatMap((part): ImageContent[] =>
    part.type === 'image' ? [{ type: 'image', data: String(part.data), mimeType: String(part.mimeType) }] : [],
  );
  return images.length === 0 ? { text } : { text, images };
}
