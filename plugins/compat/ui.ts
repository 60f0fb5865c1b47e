import type { Extension } from './extension.ts';
import { plainTheme } from './theme.ts';

interface DialogOptions {
  readonly signal?: AbortSignal;
  /** In ms; then it is as if nobody had answered. */
  readonly timeout?: number;
}

/** What only a terminal of its own could show. Each is said once. */
const shown: Readonly<Record<string, string>> = {
  setStatus: 'a status line',
  setWorkingMessage: 'the words of the working indicator',
  setWorkingVisible: 'the working indicator',
  setWorkingIndicator: 'the working indicator',
  setHiddenThinkingLabel: 'the label of hidden thinking',
  setWidget: 'a widget',
  setFooter: 'a footer',
  setHeader: 'a header',
  setTitle: 'the title of the terminal',
  pasteToEditor: 'text in the editor',
  setEditorText: 'text in the editor',
  setEditorComponent: 'an editor of its own',
  setToolsExpanded: 'how calls of tools are folded',
};

/** How an extension of pi meets the person: by kern's dialogs, and where those end, by saying so. */
export function foreignUi(extension: Extension): object {
  const { ctx } = extension;
  const ui = () => extension.session()?.view.ui ?? ctx.ui;
  const ask = async <T>(
    options: DialogOptions | undefined,
    question: (signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const ends = [ctx.signal];
    if (options?.signal !== undefined) ends.push(options.signal);
    if (options?.timeout !== undefined) ends.push(AbortSignal.timeout(options.timeout));
    const signal = AbortSignal.any(ends);
    if (signal.aborted) return undefined;
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await ctx.asking(Promise.race([question(signal), over]));
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  const notShown = Object.fromEntries(
    Object.entries(shown).map(([name, what]) => [
      name,
      (): undefined => {
        extension.notice(`ui.${name}`, `it sets ${what}, which is not shown here`, 'info');
        return undefined;
      },
    ]),
  );
  return {
    ...notShown,
    select: (title: string, options: readonly unknown[], dialog?: DialogOptions) =>
      ask(dialog, (signal) => ui().select(String(title), options.map(labelOf), signal)),
    confirm: async (title: string, message = '', dialog?: DialogOptions) =>
      (await ask(dialog, (signal) => ui().confirm(String(title), String(message), signal))) === true,
    input: (title: string, placeholder?: string, dialog?: DialogOptions) =>
      ask(dialog, (signal) => ui().input(String(title), placeholder, signal)),
    editor(title: string, prefill?: string, dialog?: DialogOptions) {
      if (ui().available) extension.notice('ui.editor', 'it asks for a long text; here that is one line', 'info');
      return ask(dialog, (signal) => ui().input(String(title), prefill, signal));
    },
    notify: (message: string, level: 'info' | 'warning' | 'error' = 'info') => ui().notify(String(message), level),
    custom(): Promise<undefined> {
      extension.notice('ui.custom', 'it draws a component of its own, which is not shown here: nobody answers it');
      return Promise.resolve(undefined);
    },
    onTerminalInput(): () => void {
      extension.notice('ui.onTerminalInput', 'it listens to the keys of a terminal, which is not there', 'info');
      return () => {};
    },
    addAutocompleteProvider(): void {
      extension.notice('ui.addAutocompleteProvider', 'it completes what is typed, and nothing is typed here', 'info');
    },
    getEditorText: () => '',
    getEditorComponent: () => undefined,
    getToolsExpanded: () => false,
    theme: plainTheme,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme() {
      extension.notice('ui.setTheme', 'it sets a theme, and there are no colours here', 'info');
      return { success: false, error: 'there are no themes here' };
    },
  };
}

/** oh-my-pi's options may be objects. */
function labelOf(option: unknown): string {
  return typeof option === 'object' && option !== null && 'label' in option ? String(option.label) : String(option);
}
