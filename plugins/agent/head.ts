import {
  type CustomMessage,
  type PromptSection,
  type SessionContext,
  type SystemEntryMessage,
  systemPrompt,
  type ToolFace,
} from 'kern/contracts';
import type { View } from 'kern/plugin';
import {
  announcement,
  asTold,
  nextTools,
  sectionLines,
  sectionNews,
  type Told,
  type ToolNews,
  toldBy,
  toolLines,
} from './announce.ts';
import { baseSections, joined, type PromptOptions } from './prompt.ts';

/**
 * What stands before the conversation in every request: the system prompt and the tools. Made once and kept byte for
 * byte, also when the session is resumed; later changes follow as messages, and only new tools are added to the list,
 * at its end.
 */
export class Head {
  readonly #options: PromptOptions;
  readonly #faces: (view: View) => readonly ToolFace[];
  #system: string | undefined;
  #told = new Map<string, string>();
  #tools: readonly ToolFace[] = [];
  /** What a resumed session has been told of its tools since they were sent. */
  #toldOfTools: readonly ToolNews[] = [];
  #isStale = false;

  constructor(options: PromptOptions, faces: (view: View) => readonly ToolFace[]) {
    this.#options = options;
    this.#faces = faces;
  }

  get system(): string {
    return this.#system ?? '';
  }

  get tools(): readonly ToolFace[] {
    return this.#tools;
  }

  /** A plugin, a setting or a discovered item changed: the instructions may be others. */
  stale(): void {
    this.#isStale = true;
  }

  /**
   * Goes on with the head of a context as it was sent, and with what was told since. A head of another program speaks
   * of tools that are not there: then, as where there is none, it is made anew.
   */
  resume({ system, messages }: Pick<SessionContext, 'system' | 'messages'>): void {
    this.#system = system?.parts === undefined ? undefined : system.content;
    this.#told = system === undefined ? new Map() : partsOf(system);
    this.#tools = (system?.parts === undefined ? [] : (system.toolsAdded ?? [])).map(
      ({ name, description, parameters: inputSchema }) => ({ name, description, inputSchema }),
    );
    const told = this.#system === undefined ? [] : messages.flatMap(({ message }) => toldBy(message) ?? []);
    for (const { sections } of told) this.#take(sections);
    this.#toldOfTools = told.map(({ tools }) => tools);
    this.#isStale = true;
  }

  /** Makes it, where there is none. Answers with what was made now, as it is kept in the session. */
  async make(view: View): Promise<SystemEntryMessage | undefined> {
    if (this.#system !== undefined) return undefined;
    this.#isStale = false;
    this.#tools = this.#faces(view);
    const { sections } = await this.#sections(view);
    this.#told = new Map(sections.map(({ id, text }) => [id, text]));
    this.#system = joined(sections);
    return {
      role: 'system',
      content: this.#system,
      timestamp: Date.now(),
      toolsAdded: this.#tools.map(({ name, description, inputSchema: parameters }) => ({
        name,
        description,
        parameters,
      })),
      parts: sections.map(({ id, text }) => ({ id, length: text.length })),
    };
  }

  /** What changed since the last request, as the message that says so. */
  async changes(view: View): Promise<readonly CustomMessage[]> {
    const current = this.#faces(view);
    const sent = this.#toldOfTools.reduce((faces, news) => asTold(faces, news, current), this.#tools);
    this.#toldOfTools = [];
    const { faces, news: tools } = nextTools(sent, current);
    this.#tools = faces;
    let sections: Told['sections'] = [];
    let lines: readonly string[] = [];
    if (this.#isStale) {
      this.#isStale = false;
      const now = await this.#sections(view);
      sections = sectionNews(this.#told, now.sections);
      if (now.isPartial) {
        // What was not found in time is not gone: it is looked at again with the next request.
        sections = sections.filter(({ text }) => text !== undefined);
        this.#isStale = true;
      }
      lines = sectionLines(this.#told, sections);
      this.#take(sections);
    }
    const text = [toolLines(tools), ...lines].filter((line) => line !== '').join('\n\n');
    return text === '' ? [] : [announcement(text, { sections, tools })];
  }

  #take(sections: Told['sections']): void {
    for (const { id, text } of sections) {
      if (text === undefined) this.#told.delete(id);
      else this.#told.set(id, text);
    }
  }

  async #sections(view: View): Promise<{ readonly sections: readonly PromptSection[]; readonly isPartial: boolean }> {
    const sections = baseSections(view.where, this.#options, new Date());
    const changed = await view.call(systemPrompt, { sections, where: view.where, tools: this.#tools });
    return {
      sections: changed.sections.map(({ id, text }) => ({ id, text: text.trim() })).filter(({ text }) => text !== ''),
      isPartial: changed.isPartial === true,
    };
  }
}

/** The parts of a head that was sent. */
function partsOf({ content, parts = [] }: SystemEntryMessage): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (const { id, length } of parts) {
    found.set(id, content.slice(at, at + length));
    at += length + '\n\n'.length;
  }
  return found;
}
