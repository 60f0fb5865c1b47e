import { type Model, modelSelect, type SessionContext, type ThinkingLevel, thinkingSelect } from 'kern/contracts';
import type { Broadcast } from './broadcast.ts';
import type { Conversation } from './conversation.ts';
import { clampNotice, clampThinking, wantedBeside } from './thinking.ts';

export interface ChoiceParts {
  readonly conversation: Conversation;
  readonly broadcast: Broadcast;
  readonly sessionId: () => string;
}

type Reading = Pick<SessionContext, 'models' | 'thinking' | 'wantedThinking'>;

/** What the entries of a branch say. */
interface Told {
  readonly model: string | undefined;
  readonly thinking: ThinkingLevel | undefined;
  readonly wanted: SessionContext['wantedThinking'] | undefined;
}

/** The model of a session and how long it thinks: what is in force, and what the branch says of it. */
export class Choice {
  readonly #parts: ChoiceParts;
  #model: Model;
  /** As it was asked for: what a model cannot do is done again by one that can. */
  #wanted: ThinkingLevel | undefined;
  #thinking: ThinkingLevel;
  /** Why it is not the level that was asked for: said once. */
  #notice: string | undefined;
  /** Who was chosen, while another stands in. */
  #chosen: Model | undefined;
  /** What the entries of the branch say. */
  #told: Told = { model: undefined, thinking: undefined, wanted: undefined };

  constructor(parts: ChoiceParts, model: Model, wanted: ThinkingLevel | undefined) {
    this.#parts = parts;
    this.#model = model;
    this.#wanted = wanted;
    this.#thinking = clampThinking(wanted, model);
  }

  get model(): Model {
    return this.#model;
  }

  get thinking(): ThinkingLevel {
    return this.#thinking;
  }

  get wanted(): ThinkingLevel | undefined {
    return this.#wanted;
  }

  /** Another model, and with it another level. With a `reason` it is kern's own choice: the one before is gone. */
  select(model: Model, reason: string | undefined, wanted: ThinkingLevel | undefined): void {
    const stoodIn = this.#chosen !== undefined;
    const previous = this.#model.id;
    this.#chosen = undefined;
    this.#model = model;
    if (stoodIn || this.#told.model !== model.id) this.#writeModel(model);
    if (model.id !== previous || reason !== undefined) this.#tell(previous, reason);
    this.think(wanted);
  }

  /** Asked in place of the chosen one, which a session that is opened again goes on with. */
  standIn(model: Model, reason: string): void {
    this.#chosen ??= this.#model;
    const previous = this.#model.id;
    this.#model = model;
    const { provider, model: modelId } = model;
    this.#parts.conversation.write({ type: 'model_change', provider, modelId, role: 'fallback' });
    this.#tell(previous, reason);
    this.#take(clampThinking(this.#wanted, model));
  }

  /** Another thinking level, as far as the model can. */
  think(wanted: ThinkingLevel | undefined): void {
    const thinking = clampThinking(wanted, this.#model);
    this.#wanted = wanted;
    if (this.#chosen === undefined) this.#tellThinking(thinking);
    this.#take(thinking);
  }

  #take(thinking: ThinkingLevel): void {
    const previous = this.#thinking;
    const notice = clampNotice(this.#wanted, thinking, this.#model);
    const isNew = notice !== undefined && notice !== this.#notice;
    this.#thinking = thinking;
    this.#notice = notice;
    const { broadcast, sessionId } = this.#parts;
    if (thinking !== previous) broadcast.view.call(thinkingSelect, { sessionId: sessionId(), thinking, previous });
    if (thinking !== previous || isNew) broadcast.announce({ type: 'thinking_changed', thinking, reason: notice });
  }

  /** The branch is another: what it says is what the choice is compared with. */
  reads({ models, thinking, wantedThinking: wanted }: Reading): void {
    this.#told = { model: models.default, thinking, wanted };
  }

  /** Writes down what is in force where the branch says something else. */
  settle(): void {
    const chosen = this.#chosen ?? this.#model;
    if (this.#told.model !== chosen.id) this.#writeModel(chosen);
    // A stand-in may have to think less than what was chosen.
    if (this.#chosen === undefined) this.#tellThinking(this.#thinking);
  }

  #tell(previous: string, reason: string | undefined): void {
    const { broadcast, sessionId } = this.#parts;
    const model = this.#model.id;
    broadcast.view.call(modelSelect, { sessionId: sessionId(), model, previous, reason });
    broadcast.announce({ type: 'model_changed', model, reason });
  }

  #writeModel({ id, provider, model: modelId }: Model): void {
    this.#parts.conversation.write({ type: 'model_change', provider, modelId });
    this.#told = { ...this.#told, model: id };
  }

  #tellThinking(thinking: ThinkingLevel): void {
    const wanted = wantedBeside(this.#wanted, thinking);
    if (this.#told.thinking === thinking && this.#told.wanted === wanted) return;
    const beside = wanted === undefined ? {} : { wanted };
    this.#parts.conversation.write({ type: 'thinking_level_change', thinkingLevel: thinking, ...beside });
    this.#told = { ...this.#told, thinking, wanted };
  }
}
