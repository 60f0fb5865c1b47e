/** What waits to be said to the model, by the moment at which it is said. */
export class MessageQueue {
  #steering: string[] = [];
  #followUps: string[] = [];
  #nextTurn: string[] = [];

  get steering(): readonly string[] {
    return this.#steering;
  }

  get followUps(): readonly string[] {
    return this.#followUps;
  }

  /** Nothing waits that would start or lengthen a run. What rides along with the next prompt does not. */
  get isEmpty(): boolean {
    return this.#steering.length === 0 && this.#followUps.length === 0;
  }

  add(text: string, as: 'steer' | 'followUp' | 'nextTurn'): void {
    if (as === 'steer') this.#steering.push(text);
    else if (as === 'followUp') this.#followUps.push(text);
    else this.#nextTurn.push(text);
  }

  /** One at a time: the model answers each before it hears the next. */
  takeSteering(): string | undefined {
    return this.#steering.shift();
  }

  takeFollowUp(): string | undefined {
    return this.#followUps.shift();
  }

  takeNextTurn(): readonly string[] {
    const taken = this.#nextTurn;
    this.#nextTurn = [];
    return taken;
  }

  /** After an abort: what was meant for the aborted work must not reach the next prompt. */
  drop(): void {
    this.#steering = [];
    this.#followUps = [];
  }
}
