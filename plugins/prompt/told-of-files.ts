/** What each session has been told of files, by path: the text as it was then. */
export class ToldOfFiles {
  readonly #bySession = new Map<string, Map<string, string>>();

  /** Whether it is news; from now on it is none. */
  isNews(session: string, path: string, text: string): boolean {
    const told = this.#bySession.get(session) ?? new Map<string, string>();
    this.#bySession.set(session, told);
    if (told.get(path) === text) return false;
    told.set(path, text);
    return true;
  }

  /** What was told is no longer read as it was said, or the session is over. */
  forget(session: string): void {
    this.#bySession.delete(session);
  }
}
