import { type CustomMessage, type PromptSection, systemPrompt, type ToolFace } from 'kern/contracts';
import type { View } from 'kern/plugin';
import { announcement, nextTools, sectionChanges } from './announce.ts';
import { baseSections, joined, type PromptOptions } from './prompt.ts';

/**
 * What stands before the conversation in every request: the system prompt and the tools. Made once and kept byte for
 * byte; later changes follow as messages, and only new tools are added to the list, at its end.
 */
export class Head {
  readonly #options: PromptOptions;
  readonly #faces: (view: View) => readonly ToolFace[];
  #system: string | undefined;
  #told = new Map<string, string>();
  #tools: readonly ToolFace[] = [];
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

  /** Makes it, the first time. Answers whether it was made now. */
  async make(view: View): Promise<boolean> {
    if (this.#system !== undefined) return false;
    this.#isStale = false;
    this.#tools = this.#faces(view);
    const sections = await this.#sections(view);
    this.#told = new Map(sections.map(({ id, text }) => [id, text]));
    this.#system = joined(sections);
    return true;
  }

  /** What changed since the last request, as the message that says so. */
  async changes(view: View): Promise<readonly CustomMessage[]> {
    const lines: string[] = [];
    const { faces, text } = nextTools(this.#tools, this.#faces(view));
    this.#tools = faces;
    if (text !== undefined) lines.push(text);
    if (this.#isStale) {
      this.#isStale = false;
      const sections = await this.#sections(view);
      lines.push(...sectionChanges(this.#told, sections));
      this.#told = new Map(sections.map((section) => [section.id, section.text]));
    }
    return lines.length === 0 ? [] : [announcement(lines.join('\n\n'))];
  }

  async #sections(view: View): Promise<readonly PromptSection[]> {
    const sections = baseSections(view.where, this.#options, new Date());
    return (await view.call(systemPrompt, { sections, where: view.where, tools: this.#tools })).sections;
  }
}
