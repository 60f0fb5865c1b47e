import type {
  AgentEvent,
  Budget,
  ContextMessage,
  EntryNode,
  ForeignEntry,
  Message,
  Model,
  SessionEntry,
  SessionHeader,
  SessionStats,
  SessionStore,
} from 'kern/contracts';
import type { QueuedTexts, View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import type { SessionGround } from './session-ground.ts';
import { Tally } from './stats.ts';
import { TreeIndex } from './tree-index.ts';

/** What one may know of a session at any time. */
export abstract class SessionReading {
  protected readonly ground: SessionGround;
  /** Made when somebody asks, and anew in another file. */
  #index: { readonly of: SessionStore; readonly tally: Tally; readonly tree: TreeIndex } | undefined;

  constructor(ground: SessionGround) {
    this.ground = ground;
  }

  protected get store(): SessionStore {
    return this.ground.conversation.store;
  }

  get view(): View {
    return this.ground.view;
  }

  get cwd(): string {
    return this.ground.cwd;
  }

  get broadcast(): Broadcast {
    return this.ground.broadcast;
  }

  get header(): SessionHeader {
    return this.store.header;
  }

  get id(): string {
    return this.header.id;
  }

  get file(): string | undefined {
    return this.store.file;
  }

  get name(): string | undefined {
    return this.ground.name.value;
  }

  get budget(): Budget {
    return this.ground.budget;
  }

  get currentModel(): Model {
    return this.ground.choice.model;
  }

  model(): { readonly id: string } {
    return { id: this.currentModel.id };
  }

  thinking(): string {
    return this.ground.choice.thinking;
  }

  isIdle(): boolean {
    return this.ground.runner.isIdle;
  }

  queue(): QueuedTexts {
    return this.ground.runner.queue();
  }

  subscribe(listener: (event: AgentEvent) => void): { dispose(): void } {
    return this.broadcast.subscribe(listener);
  }

  messages(): readonly Message[] {
    return this.ground.conversation.messages;
  }

  context(): readonly ContextMessage[] {
    return this.ground.conversation.contextEntries();
  }

  stats(): SessionStats {
    const tokens = this.ground.compactor.contextTokens();
    return this.#indexed().tally.read({ tokens, window: this.currentModel.contextWindow });
  }

  // --- The tree ----------------------------------------------------------------------------------------------------

  get leaf(): string | null {
    return this.store.leaf;
  }

  nodes(): readonly EntryNode[] {
    return this.store.nodes();
  }

  entry(id: string): SessionEntry | ForeignEntry | undefined {
    return this.store.entry(id);
  }

  label(id: string): string | undefined {
    return this.store.label(id);
  }

  entriesOf(customType: string): readonly { readonly id: string; readonly data: unknown }[] {
    const found: { id: string; data: unknown }[] = [];
    for (const { id, type } of this.#indexed().tree.branch()) {
      const entry = type === 'custom' ? this.store.entry(id) : undefined;
      if (entry?.type === 'custom' && entry.customType === customType) found.push({ id, data: entry.data });
    }
    return found.reverse();
  }

  #indexed(): { readonly tally: Tally; readonly tree: TreeIndex } {
    const { store } = this;
    if (this.#index?.of !== store) this.#index = { of: store, tally: new Tally(store), tree: new TreeIndex(store) };
    return this.#index;
  }
}
