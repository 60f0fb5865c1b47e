/** Why a reply was stopped before its end; an abort like any other for those who do not ask. */
export class Interruption extends DOMException {
  constructor(by: string) {
    super(`${by} interrupted`, 'AbortError');
  }
}

/** What the calls are told that were not made because of it. */
export const whoInterrupted = ({ reason }: AbortSignal): string =>
  reason instanceof Interruption ? reason.message : 'the person interrupted';
