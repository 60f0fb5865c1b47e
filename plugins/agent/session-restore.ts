import { type Model, models, type SessionContext, type SessionStore, type ThinkingLevel } from 'kern/contracts';
import { codeOf, KernError, messageOf, type View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import { isThinkingLevel } from './thinking.ts';

/** The model that a session goes on with. */
export interface RestoredModel {
  readonly model: Model;
  /** Why it is not the one that the session had, or that was asked for first. */
  readonly reason: string | undefined;
  /** How long it is to think, where its name said so. */
  readonly thinking?: ThinkingLevel | undefined;
}

/** The model of the session, if it is there and can be used, else what `fallback` gives; `none` where it had none. */
export async function restoredModel(
  view: View,
  { models: chosen }: Pick<SessionContext, 'models'>,
  fallback: () => Promise<Model>,
): Promise<RestoredModel> {
  const id = chosen.default;
  if (id === undefined) return { model: await fallback(), reason: undefined };
  let known: Model | undefined;
  let why = 'it cannot be used now: its key or its server is missing';
  try {
    known = await view.service(models).resolve(id);
    if (known.available) return { model: known, reason: undefined };
  } catch (error) {
    why = messageOf(error);
  }
  try {
    const model = await fallback();
    if (model.id === id) return { model, reason: undefined };
    // Whoever chose one vendor has not chosen another to read what was said.
    const reader = id.startsWith(`${model.provider}/`)
      ? ''
      : `, and all that was said so far goes to ${model.provider}`;
    const reason = `this session goes on with ${model.id}${reader}: ${id}, its model, is not there (${why})`;
    return { model, reason };
  } catch (error) {
    // Better one that says at the first request what it lacks than none.
    if (known !== undefined) return { model: known, reason: undefined };
    throw new KernError(
      codeOf(error) ?? 'no_model',
      `${id}, the model of this session, is not there (${why}), and no other takes its place: ${messageOf(error)}`,
      { hint: hintOf(error) ?? '`kern models list` shows those there are; --model chooses one', cause: error },
    );
  }
}

/** The level that was asked for in a session, else that of the settings. */
export function restoredThinking(
  view: View,
  { thinking, wantedThinking = thinking }: Pick<SessionContext, 'thinking' | 'wantedThinking'>,
): ThinkingLevel | undefined {
  if (wantedThinking !== undefined && wantedThinking !== 'default') return wantedThinking;
  const setting = view.setting('thinking');
  return isThinkingLevel(setting) ? setting : undefined;
}

/** Says what was not as it should be with a session that was opened. */
export function tellOpened({ busy, repairs }: SessionStore, broadcast: Broadcast): void {
  if (busy !== undefined) broadcast.announce({ type: 'session_busy', ...busy });
  if (repairs.length > 0) broadcast.announce({ type: 'session_repaired', repairs });
}

const hintOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
    ? error.hint
    : undefined;
