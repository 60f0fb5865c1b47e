import type { Where } from 'kern/plugin';
import type {
  AgentDefinition,
  ContextFile,
  CustomTool,
  ExtensionManifest,
  ExtensionModule,
  FileEntry,
  Files,
  Head,
  HookItem,
  Instruction,
  McpServer,
  PromptTemplate,
  Rule,
  SettingsFile,
  Skill,
  SlashCommand,
  SshHost,
  SystemPromptFile,
  TextDialect,
} from './contract.ts';

/** The discovered kinds, by the id of their capability. */
export interface FoundItems {
  readonly 'context-file': ContextFile;
  readonly skill: Skill;
  readonly rule: Rule;
  readonly prompt: PromptTemplate;
  readonly 'slash-command': SlashCommand;
  readonly instruction: Instruction;
  readonly hook: HookItem;
  readonly 'mcp-server': McpServer;
  readonly 'ssh-host': SshHost;
  readonly 'extension-module': ExtensionModule;
  readonly 'extension-manifest': ExtensionManifest;
  readonly 'custom-tool': CustomTool;
  readonly 'system-prompt': SystemPromptFile;
  readonly 'settings-file': SettingsFile;
  readonly 'agent-definition': AgentDefinition;
}
export type FoundKind = keyof FoundItems;

/** A file or folder that is there, for who reads it. */
export interface At {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly level: 'user' | 'project';
  /** Folders between the working directory and where the place was found; undefined for the person's. */
  readonly depth: number | undefined;
  /** The folder that the place is named from: one of the project's, the person's own, or KERN_HOME. */
  readonly base: string;
  /** The levels that are asked for: of another nothing is read. */
  readonly levels: readonly ('user' | 'project')[];
  readonly where: Where;
  /** The person's own folder, `~`. */
  readonly user: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly make: Make;
  /** What the place says of its items. */
  readonly options: PlaceOptions;
}

/** Items of what was read, as all providers make them. What cannot be one is a warning and left out. */
export interface Make {
  /** A Markdown file: its text is read when it is asked for, and its head has been read now. `undefined`: it is not there, or switched off. */
  markdown(path: string): Promise<Markdown | undefined>;
  /** A folder with a SKILL.md in it. */
  skill(folder: string, options?: { readonly name?: string }): Promise<Skill | undefined>;
  rule(path: string, options?: { readonly name?: string }): Promise<Rule | undefined>;
  command(path: string, options?: { readonly name?: string }): Promise<SlashCommand | undefined>;
  agent(path: string, options?: { readonly name?: string }): Promise<AgentDefinition | undefined>;
  /** Of `{name: {command, args, env, cwd, url, headers, type, enabled, timeout, oauth, …}}`, in all the spellings there are. */
  mcpServers(
    servers: unknown,
    path: string,
    options?: {
      /** What is put before each name. */
      readonly prefix?: string;
      /** Where relative commands and folders start from. */
      readonly root?: string;
      /** Variables that the file may use beside those of the environment: `${CLAUDE_PLUGIN_ROOT}`. */
      readonly variables?: Readonly<Record<string, string>>;
      /** A `timeout` is seconds. Default milliseconds. */
      readonly seconds?: boolean;
    },
  ): readonly McpServer[];
  /** Of `{PreToolUse: [{matcher, hooks: [{type: 'command', command, …}]}]}`. */
  hooks(
    events: unknown,
    path: string,
    options?: {
      readonly dialect?: NonNullable<HookItem['dialect']>;
      /** A `timeout` is milliseconds. Default seconds. */
      readonly milliseconds?: boolean;
      readonly env?: Readonly<Record<string, string>>;
      /** What each is called; its number is put behind it. Default the file, as people write its path. */
      readonly name?: string;
    },
  ): readonly HookItem[];
  /** A file that is asked before or after a tool is called, whose name is the one of the tool unless another is given. */
  hookFile(path: string, when: 'pre' | 'post', options?: { readonly tool?: string }): HookItem;
  /** How a text is read that is a part of the file: `textIn` finds it there when it is asked for. */
  reader(path: string, textIn: (files: Files) => Promise<string | undefined>): Promise<Markdown['read']>;
  /** Entries of a folder, also of those below it, at most `depth` folders down. */
  below(folder: string, options?: { readonly depth?: number }): Promise<readonly FileEntry[]>;
}

/** A Markdown file whose head has been read. */
export interface Markdown {
  readonly path: string;
  /** The file name without its endings. */
  readonly stem: string;
  readonly head: Head;
  read(signal?: AbortSignal): Promise<string>;
}

export interface PlaceOptions {
  /** Endings of the files that count. Default `.md`; for rules also `.mdc`. */
  readonly endings?: readonly string[];
  /** Also what lies in folders below, so many down; names are put together with `:` as the Claude dialect has it. Default 0. */
  readonly deep?: number;
  /** Skills without a description in their head: `required` is the default, `none` takes the first lines of the text. */
  readonly description?: 'required' | 'none';
  /** Rules that say neither when nor for which files: told always, or when the model asks. Default `asked`. */
  readonly rule?: 'always' | 'asked';
  readonly dialect?: TextDialect;
  /** `@path` in the text puts that file in its place; with names only in files of those names. */
  readonly includes?: boolean | readonly string[];
  /** Of a context file that counts beside the main one. */
  readonly part?: string;
  /** Of a system prompt: it follows kern's own. */
  readonly append?: boolean;
  /** Whose hooks they are. */
  readonly hooks?: HookItem['dialect'];
  /** Of extension modules. */
  readonly extensions?: ExtensionModule['dialect'];
  /** Where in a file of settings the things stand: `mcpServers`, `mcp.servers`. Several: the first that is there. */
  readonly key?: string | readonly string[];
  /** The name of the only item of a file. */
  readonly name?: string;
}

/** How the things of a place are read, by name; `shape` of a format of its own says for the page what the place holds. */
export type FormatName =
  /** One text: a context file, a system prompt, an instruction, a rule. */
  | 'text'
  /** `<name>/SKILL.md`. */
  | 'skills'
  /** A folder of Markdown files: rules, prompts, commands, instructions, agents. */
  | 'texts'
  /** JSON, YAML or TOML by its ending, with the items under `key`: MCP servers, hooks, SSH hosts; or as a whole: settings. */
  | 'data'
  /** `pre/<tool>.*`, `post/<tool>.*`, and modules beside them that listen to what they like. */
  | 'hook-files'
  /** `<name>.{ts,js,…}` and `<name>/index.ts`. */
  | 'tool-files'
  /** `*.{ts,js}`, `<name>/package.json` and `<name>/index.{ts,js}`. */
  | 'modules'
  /** `extensions` of a file of settings: paths of modules. */
  | 'module-list'
  /** `<name>/gemini-extension.json`. */
  | 'manifests';

/** A format of a provider's own. */
export interface Format<K extends FoundKind> {
  /** What the place holds, as the page has it: `*.mdc`. */
  readonly shape: string;
  /** It reads the other paths of the place too: none of them is left out. */
  readonly readsAll?: boolean;
  /** The items of a place that is there. Reads through `at.files` alone. */
  read(at: At): Promise<readonly FoundItems[K][]>;
}

export interface PlaceOf<K extends FoundKind> extends PlaceOptions {
  readonly kind: K;
  /**
   * `~/…` and absolute: the person's; `$KERN_HOME/…`: kern's own; everything else: the project's, with `$PROJECT/…` only in
   * the project's folder itself. Of several the first that is there counts.
   */
  readonly path: string | readonly string[];
  /**
   * Also in the folders above the working directory: `root` up to the project, `beyond` on to the person's own folder, which
   * is left out. `nearest`: only in the first that has the place.
   */
  readonly up?: 'root' | 'beyond' | 'nearest';
  readonly format: FormatName | Format<K>;
}

/** One line of a provider's table. */
export type Place = { readonly [K in FoundKind]: PlaceOf<K> }[FoundKind];

/** A provider, as a table of places: from it files are read, the page about discovery is made, and tests are driven. */
export interface Places {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** Orders within a level; higher first. */
  readonly priority: number;
  /** Variables of the environment that name another folder in place of one: `{ CLAUDE_CONFIG_DIR: '~/.claude' }`. */
  readonly folders?: Readonly<Record<string, string>>;
  readonly places: readonly Place[];
  /** The built-in whose place a person's copy of the table takes: `discovery.claude`. */
  readonly replaces?: string;
}
