import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from './width.ts';

/** What draws itself as lines. Nothing here reads keys: there is no terminal behind it. */
export interface Component {
  render(width: number): string[];
  handleInput?(data: string): void;
  invalidate?(): void;
}

const asIs = (text: string): string => text;

export class Text implements Component {
  #text: string;
  readonly #paddingX: number;
  readonly #paddingY: number;
  readonly #background: ((text: string) => string) | undefined;

  constructor(text = '', paddingX = 1, paddingY = 1, background?: (text: string) => string) {
    this.#text = text;
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }

  setText(text: string): void {
    this.#text = text;
  }

  getText(): string {
    return this.#text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#text.trim() === '') return [];
    const margin = ' '.repeat(this.#paddingX);
    const inner = Math.max(1, width - this.#paddingX * 2);
    const empty = Array.from({ length: this.#paddingY }, () => '');
    const lines = wrapTextWithAnsi(this.#text, inner).map((line) => `${margin}${line}`);
    const all = [...empty, ...lines, ...empty];
    const background = this.#background;
    if (background === undefined) return all;
    return all.map((line) => background(line + ' '.repeat(Math.max(0, width - visibleWidth(line)))));
  }
}

/** One line, cut where it is too long. */
export class TruncatedText implements Component {
  readonly #text: string;

  constructor(text = '') {
    this.#text = text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [truncateToWidth(this.#text.split('\n', 1)[0] ?? '', width)];
  }
}

/** Markdown as it is written. */
export class Markdown extends Text {
  constructor(text = '', paddingX = 1, paddingY = 1, _theme?: unknown) {
    super(text, paddingX, paddingY);
  }
}

export class Spacer implements Component {
  #lines: number;

  constructor(lines = 1) {
    this.#lines = lines;
  }

  setLines(lines: number): void {
    this.#lines = lines;
  }

  invalidate(): void {}

  render(): string[] {
    return Array.from({ length: this.#lines }, () => '');
  }
}

export class Container implements Component {
  children: Component[] = [];

  addChild(child: Component): void {
    this.children.push(child);
  }

  removeChild(child: Component): void {
    this.children = this.children.filter((other) => other !== child);
  }

  clear(): void {
    this.children = [];
  }

  invalidate(): void {
    for (const child of this.children) child.invalidate?.();
  }

  render(width: number): string[] {
    return this.children.flatMap((child) => child.render(width));
  }
}

export class Box extends Container {
  readonly #paddingX: number;
  readonly #paddingY: number;
  #background: (text: string) => string;

  constructor(paddingX = 1, paddingY = 1, background: (text: string) => string = asIs) {
    super();
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }

  setBgFn(background: (text: string) => string = asIs): void {
    this.#background = background;
  }

  override render(width: number): string[] {
    const margin = ' '.repeat(this.#paddingX);
    const lines = super.render(Math.max(1, width - this.#paddingX * 2)).map((line) => `${margin}${line}`);
    if (lines.length === 0) return [];
    const empty = Array.from({ length: this.#paddingY }, () => '');
    return [...empty, ...lines, ...empty].map((line) =>
      this.#background(line + ' '.repeat(Math.max(0, width - visibleWidth(line)))),
    );
  }
}

/** A line from side to side. */
export class DynamicBorder implements Component {
  readonly #color: (text: string) => string;

  constructor(color: (text: string) => string = asIs) {
    this.#color = color;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [this.#color('─'.repeat(Math.max(1, width)))];
  }
}

export interface SelectItem {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export class SelectList implements Component {
  readonly #items: readonly SelectItem[];
  readonly #visible: number;
  #at = 0;
  #filter = '';
  onSelect?: (item: SelectItem) => void;
  onCancel?: () => void;
  onSelectionChange?: (item: SelectItem) => void;

  constructor(items: readonly SelectItem[], visible = 10, _theme?: unknown) {
    this.#items = items;
    this.#visible = visible;
  }

  setFilter(filter: string): void {
    this.#filter = filter.toLowerCase();
    this.#at = 0;
  }

  setSelectedIndex(at: number): void {
    this.#at = Math.max(0, Math.min(at, this.#items.length - 1));
  }

  getSelectedItem(): SelectItem | null {
    return this.#shown()[this.#at] ?? null;
  }

  handleInput(_data: string): void {}
  invalidate(): void {}

  render(width: number): string[] {
    return this.#shown()
      .slice(0, this.#visible)
      .map(({ label, description }, at) =>
        truncateToWidth(
          `${at === this.#at ? '> ' : '  '}${label}${description === undefined ? '' : `  ${description}`}`,
          width,
        ),
      );
  }

  #shown(): readonly SelectItem[] {
    return this.#items.filter(({ label }) => label.toLowerCase().includes(this.#filter));
  }
}

export interface SettingItem {
  readonly id: string;
  readonly label: string;
  currentValue: string;
}

export class SettingsList implements Component {
  readonly #items: readonly SettingItem[];

  constructor(items: readonly SettingItem[], ..._more: readonly unknown[]) {
    this.#items = items;
  }

  updateValue(id: string, value: string): void {
    const item = this.#items.find((one) => one.id === id);
    if (item !== undefined) item.currentValue = value;
  }

  handleInput(_data: string): void {}
  invalidate(): void {}

  render(width: number): string[] {
    return this.#items.map(({ label, currentValue }) => truncateToWidth(`  ${label}: ${currentValue}`, width));
  }
}

/** A line that somebody would type. */
export class Input implements Component {
  #value = '';
  focused = false;
  onSubmit?: (value: string) => void;
  onEscape?: () => void;

  getValue(): string {
    return this.#value;
  }

  setValue(value: string): void {
    this.#value = value;
  }

  handleInput(_data: string): void {}
  invalidate(): void {}

  render(width: number): string[] {
    return [truncateToWidth(`> ${this.#value}`, width)];
  }
}

/** A text that somebody would type. */
export class Editor implements Component {
  #text = '';
  focused = false;
  disableSubmit = false;
  onSubmit?: (text: string) => void;
  onChange?: (text: string) => void;

  getText(): string {
    return this.#text;
  }

  getLines(): string[] {
    return this.#text.split('\n');
  }

  setText(text: string): void {
    this.#text = text;
    this.onChange?.(text);
  }

  insertTextAtCursor(text: string): void {
    this.setText(this.#text + text);
  }

  handleInput(_data: string): void {}
  invalidate(): void {}

  render(width: number): string[] {
    return wrapTextWithAnsi(this.#text, width);
  }
}

export class CustomEditor extends Editor {
  actionHandlers = new Map<string, () => void>();
  onEscape?: () => void;
  onCtrlD?: () => void;
}

export class Loader extends Text {
  start(): void {}
  stop(): void {}
  setMessage(message: string): void {
    this.setText(message);
  }
}

/** Something that goes on, and can be given up. */
export class BorderedLoader extends Container {
  readonly #controller = new AbortController();
  onAbort?: () => void;

  constructor(_tui: unknown, _theme: unknown, message = '') {
    super();
    this.addChild(new Text(message, 1, 0));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  handleInput(_data: string): void {}

  dispose(): void {
    this.#controller.abort();
  }
}
