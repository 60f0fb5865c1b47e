import type { Prompt } from 'kern/contracts';
import type { QueuedTexts, SendAs } from 'kern/plugin';

export type QueueMode = 'one-at-a-time' | 'all';

/** What waits to be said to the model, by the moment at which it is said. */
export class MessageQueue {
  #interrupts: Prompt[] = [];
  #steering: Prompt[] = [];
  #followUps: Prompt[] = [];
  #nextTurn: Prompt[] = [];

  /** Nothing waits that would start or lengthen a run. What rides along with the next prompt does not. */
  get isEmpty(): boolean {
    return this.#interrupts.length + this.#steering.length + this.#followUps.length === 0;
  }

  get hasInterrupt(): boolean {
    return this.#interrupts.length > 0;
  }

  texts(): QueuedTexts {
    const texts = (lane: readonly Prompt[]): readonly string[] => lane.map(({ text }) => text);
    return {
      interrupt: texts(this.#interrupts),
      steering: texts(this.#steering),
      followUp: texts(this.#followUps),
    };
  }

  add(prompt: Prompt, as: SendAs): void {
    if (as === 'interrupt') this.#interrupts.push(prompt);
    else if (as === 'steer') this.#steering.push(prompt);
    else if (as === 'followUp') this.#followUps.push(prompt);
    else this.#nextTurn.push(prompt);
  }

  /** All of it: it was meant for now. */
  takeInterrupts(): readonly Prompt[] {
    return this.#interrupts.splice(0);
  }

  takeSteering(mode: QueueMode): readonly Prompt[] {
    return take(this.#steering, mode);
  }

  takeFollowUps(mode: QueueMode): readonly Prompt[] {
    return take(this.#followUps, mode);
  }

  takeNextTurn(): readonly Prompt[] {
    return this.#nextTurn.splice(0);
  }

  /** After an abort: what was meant for the aborted work must not reach the next prompt. */
  drop(): QueuedTexts {
    const dropped = this.texts();
    this.#interrupts = [];
    this.#steering = [];
    this.#followUps = [];
    return dropped;
  }
}

/** One at a time: the model answers each before it hears the next. */
function take(lane: Prompt[], mode: QueueMode): readonly Prompt[] {
  return lane.splice(0, mode === 'all' ? lane.length : 1);
}
