import { type Capability, defineCapability, defineService, type Schema, transform, type Where } from 'kern/plugin';

// What kern finds in the folders of a project and of a person: its own files and those of other agents. An item is a
// light descriptor; `read()` fetches the text as it is then.

/** Something that was found in a file. */
export interface Found {
  readonly name: string;
  /** The file, absolute. */
  readonly path: string;
}

/** A text that stands in a file. */
export interface FoundText extends Found {
  readonly description?: string;
  /** The text without its frontmatter, as it is now. Rejects with what is wrong with the file. */
  read(signal?: AbortSignal): Promise<string>;
}

/** Standing instructions: AGENTS.md and its like. One for the person, one for each folder on the way to the working directory. */
export interface ContextFile extends FoundText {
  readonly level: 'user' | 'project';
  /** Folders above the working directory; 0 is the working directory. Undefined for the person's. */
  readonly depth?: number;
  /** Of a file that counts beside the main one of its folder, not in its place: `local` of CLAUDE.local.md. */
  readonly part?: string;
}

/** A skill as agentskills.io has it: told by name and description, read when it is used. */
export interface Skill extends FoundText {
  readonly description: string;
  /** Its folder, which its text speaks of. */
  readonly folder: string;
  /** It is told to the model; otherwise a person has to name it. */
  readonly modelInvocable: boolean;
  readonly userInvocable: boolean;
  readonly allowedTools?: readonly string[];
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly argumentHint?: string;
}

/** A rule: told always, when a file of its globs is touched, when the model asks for it, or when the stream matches. */
export interface Rule extends FoundText {
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
  /** Regular expressions over what the model writes: a match stops it, and the rule is told. */
  readonly condition: readonly string[];
  /** Where a condition looks: `text`, `thinking`, `tool:<name>`. Empty: everywhere. */
  readonly scope: readonly string[];
}

/** How a text speaks of its arguments, of files and of shell lines: as kern, Claude Code, pi, Codex, Gemini CLI or opencode write it. */
export type TextDialect = 'kern' | 'claude' | 'pi' | 'codex' | 'gemini' | 'opencode';

/** A text to be sent: a prompt template. */
export interface PromptTemplate extends FoundText {
  readonly argumentHint?: string;
  /** Default `kern`. */
  readonly dialect?: TextDialect;
}

/** Instructions for files that match (`applyTo`, a glob). */
export interface Instruction extends FoundText {
  readonly applyTo?: string;
}

/** A file of hooks, or one hook of it: what would run, and when. */
export interface HookItem extends Found {
  /** In the Claude dialect's names: PreToolUse, PostToolUse, SessionStart… */
  readonly event: string;
  /** Tool names, a pattern over them, or `*`. */
  readonly matcher: string;
  /** `command`: a line for the shell, or with `args` a program; `file`: an executable; `module`: code. */
  readonly kind: 'command' | 'file' | 'module';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  /** A failure of it denies. */
  readonly failClosed: boolean;
  /** It says itself that a failure of it changes nothing, also where it would deny. */
  readonly failOpen?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly level: 'user' | 'project';
  /** Only for calls that this matches: `Bash(git *)`. */
  readonly when?: string;
  /** It runs beside the agent, which does not wait for it. */
  readonly async?: boolean;
  /** At most once a session. */
  readonly once?: boolean;
  /** What a person sees while it runs. */
  readonly statusMessage?: string;
  /** Whose names its matcher, its input and its output have. Default `claude`. */
  readonly dialect?: 'kern' | 'claude' | 'codex' | 'gemini' | 'cursor' | 'cline' | 'pi' | 'oh-my-pi';
}

/**
 * An MCP server as its file describes it. Variables stand as they are written: `expanded` puts the values of the environment
 * in when the server is started, which is after it was trusted. So no secret reaches a list, and none the host of a stranger.
 */
export interface McpServer extends Found {
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly enabled: boolean;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly oauth?: Readonly<Record<string, unknown>>;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  /** Its texts are meant as they are written: no variables are put in. */
  readonly verbatim?: boolean;
}

/** A host that is reached by SSH. */
export interface SshHost extends Found {
  readonly host: string;
  readonly username?: string;
  readonly port?: number;
  readonly keyPath?: string;
  readonly description?: string;
  readonly compat?: boolean;
}

/** A file of code that another agent would load as an extension. */
export interface ExtensionModule extends Found {
  /** Whose dialect it is written in. */
  readonly dialect: 'kern' | 'pi' | 'oh-my-pi' | 'claude' | 'codex' | 'gemini' | 'opencode';
}

/** A manifest of an extension: Gemini's, or an Agent Plugin. */
export interface ExtensionManifest extends Found {
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** A tool that a person wrote as a file: a module, or a program that is called. */
export interface CustomTool extends Found {
  readonly description?: string;
  readonly kind: 'module' | 'program';
}

/** In place of kern's own system prompt, or after it. */
export interface SystemPromptFile extends FoundText {
  readonly level: 'user' | 'project';
  readonly append: boolean;
}

/** A file of settings of another agent, as it is. */
export interface SettingsFile extends Found {
  readonly data: Readonly<Record<string, unknown>>;
}

/** An agent that tasks are given to. */
export interface AgentDefinition extends FoundText {
  readonly description: string;
  readonly tools?: readonly string[];
  readonly model?: string;
  /** What else stands in its frontmatter, for who runs agents. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What stands behind a slash: text with arguments, a text of a file, or code of a plugin. */
export interface SlashCommand {
  readonly name: string;
  readonly description?: string;
  readonly argumentHint?: string;
  /** The file, absolute, where it is one. */
  readonly path?: string;
  /** How the text of `read` speaks of its arguments. Default `kern`. */
  readonly dialect?: TextDialect;
  /** Tools that may be used without being asked for while it runs, as its frontmatter has them. */
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  /** The text of the file without its frontmatter: whoever invokes it puts the arguments in. */
  read?(signal?: AbortSignal): Promise<string>;
  /** The text for the model, with the arguments put in. */
  expand?(args: string, signal: AbortSignal): Promise<string>;
  /** Does it itself; answers with what to tell the person. */
  run?(args: string, signal: AbortSignal): Promise<string | undefined>;
}

// Without zod: every start would pay for sixteen schemas that hardly say anything.
const checked = <T>(whatIsWrong: (value: unknown) => string | undefined): Schema<T> => ({
  '~standard': {
    validate: (value) => {
      const message = whatIsWrong(value);
      return message === undefined ? { value: value as T } : { issues: [{ message }] };
    },
  },
});

const found = <T>(what: string, more: (item: Readonly<Record<string, unknown>>) => string | undefined): Schema<T> =>
  checked((value) => {
    if (typeof value !== 'object' || value === null) return `${what} is an object`;
    const item = value as Readonly<Record<string, unknown>>;
    if (!isText(item.name)) return 'name is missing';
    return typeof item.path === 'string' ? more(item) : 'path is missing';
  });

const reads = (item: Readonly<Record<string, unknown>>): string | undefined =>
  typeof item.read === 'function' ? undefined : 'read() is missing';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Standing instructions: AGENTS.md and its like. Key: `user`, or the depth: one for the person, one a folder; a part has a place of its own. */
export const contextFiles: Capability<ContextFile> = defineCapability<ContextFile>({
  id: 'context-file',
  schema: found('a context file', reads),
  key: ({ level, depth, part }) =>
    `${level === 'user' ? 'user' : `project:${Math.max(0, depth ?? 0)}`}${part === undefined ? '' : `:${part}`}`,
});
/** What a model can learn when it needs it. Key: the name. */
export const skills: Capability<Skill> = defineCapability<Skill>({
  id: 'skill',
  schema: found('a skill', (item) => reads(item) ?? (isText(item.description) ? undefined : 'description is missing')),
  key: ({ name }) => name,
});
/** Rules: told always, for files of their globs, when the model asks, or when the stream matches. Key: the name. */
export const rules: Capability<Rule> = defineCapability<Rule>({
  id: 'rule',
  schema: found('a rule', reads),
  key: ({ name }) => name,
});
/** Texts to be sent. Key: the name. */
export const promptTemplates: Capability<PromptTemplate> = defineCapability<PromptTemplate>({
  id: 'prompt',
  schema: found('a prompt', reads),
  key: ({ name }) => name,
});
/** Instructions for files that match. Key: the name. */
export const instructions: Capability<Instruction> = defineCapability<Instruction>({
  id: 'instruction',
  schema: found('an instruction', reads),
  key: ({ name }) => name,
});
/** Hooks that were found. Key: event, matcher, name. A hook is named by its place, so that none takes the place of another: all of them run. */
export const hookItems: Capability<HookItem> = defineCapability<HookItem>({
  id: 'hook',
  schema: found('a hook', (item) => (isText(item.event) ? undefined : 'event is missing')),
  key: ({ event, matcher, name }) => `${event}:${matcher}:${name}`,
});
/** MCP servers that files describe. Key: the name. */
export const mcpServers: Capability<McpServer> = defineCapability<McpServer>({
  id: 'mcp-server',
  schema: found('an MCP server', ({ transport, command, url }) => {
    if (transport === 'stdio') return isText(command) ? undefined : 'command is missing';
    if (transport !== 'http' && transport !== 'sse') return 'transport is stdio, http or sse';
    return isText(url) ? undefined : 'url is missing';
  }),
  key: ({ name }) => name,
});
/** Hosts to be reached by SSH. Key: the name. */
export const sshHosts: Capability<SshHost> = defineCapability<SshHost>({
  id: 'ssh-host',
  schema: found('an SSH host', (item) => (isText(item.host) ? undefined : 'host is missing')),
  key: ({ name }) => name,
});
/** Extensions as code, in whatever dialect. Key: the file. */
export const extensionModules: Capability<ExtensionModule> = defineCapability<ExtensionModule>({
  id: 'extension-module',
  schema: found('an extension', () => undefined),
  key: ({ path }) => path,
});
/** Manifests of other agents' extensions. Key: the name. */
export const extensionManifests: Capability<ExtensionManifest> = defineCapability<ExtensionManifest>({
  id: 'extension-manifest',
  schema: found('a manifest', (item) => (typeof item.manifest === 'object' ? undefined : 'manifest is missing')),
  key: ({ name }) => name,
});
/** Tools that are files. Key: the name. */
export const customTools: Capability<CustomTool> = defineCapability<CustomTool>({
  id: 'custom-tool',
  schema: found('a tool', () => undefined),
  key: ({ name }) => name,
});
/** Texts in place of kern's own system prompt, or after it. Key: the level, and whether it replaces or follows. */
export const systemPrompts: Capability<SystemPromptFile> = defineCapability<SystemPromptFile>({
  id: 'system-prompt',
  schema: found('a system prompt', reads),
  key: ({ level, append }) => `${level}:${append ? 'append' : 'replace'}`,
});
/** Settings of other agents. Never the same thing: all of them count. */
export const settingsFiles: Capability<SettingsFile> = defineCapability<SettingsFile>({
  id: 'settings-file',
  schema: found('settings', (item) => (typeof item.data === 'object' ? undefined : 'data is missing')),
  key: () => undefined,
});
/** Agents that tasks are given to. Key: the name. */
export const agentDefinitions: Capability<AgentDefinition> = defineCapability<AgentDefinition>({
  id: 'agent-definition',
  schema: found('an agent', (item) => reads(item) ?? (isText(item.description) ? undefined : 'description is missing')),
  key: ({ name }) => name,
});
/** What stands behind a slash. Key: the name. */
export const slashCommands: Capability<SlashCommand> = defineCapability<SlashCommand>({
  id: 'slash-command',
  schema: checked((value) => {
    const { name, ...ways } = (value ?? {}) as Partial<SlashCommand>;
    const isOne =
      typeof name === 'string' &&
      /^[^\s/]\S*$/.test(name) &&
      [ways.expand, ways.run, ways.read].some((way) => typeof way === 'function');
    return isOne
      ? undefined
      : 'a slash command is {name, description?, and expand(args, signal), run(args, signal) or read(signal)}';
  }),
  key: ({ name }) => name,
});

/** One line of a provider's table, as far as people want to know it. */
export interface PlaceLine {
  readonly kind: string;
  /** `~/…` is the person's, `$KERN_HOME/…` kern's own, everything else the project's. Of several the first that is there. */
  readonly path: string | readonly string[];
  readonly up?: 'root' | 'beyond' | 'nearest';
  readonly format: string | { readonly shape: string };
  readonly deep?: number;
  readonly key?: string | readonly string[];
  readonly endings?: readonly string[];
}

/** Where a provider looks. */
export interface PlacesTable {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly priority: number;
  /** Variables of the environment that name another folder in place of one. */
  readonly folders?: Readonly<Record<string, string>>;
  readonly places: readonly PlaceLine[];
}

/** Where the providers look, a table each. Key: the id. */
export const placesTables: Capability<PlacesTable> = defineCapability<PlacesTable>({
  id: 'places',
  schema: checked((value) => {
    const { id, places } = (value ?? {}) as Partial<PlacesTable>;
    return typeof id === 'string' && Array.isArray(places)
      ? undefined
      : 'a table of places is {id, displayName, description, priority, places: [{kind, path, format}]}';
  }),
  key: ({ id }) => id,
});

/** Which skills a session knows, before they are told to the model. */
export const skillsOffered = transform<{ readonly skills: readonly Skill[] }>({ id: 'skills.offered' });

/** What lies in a folder; links are what they lead to. */
export interface FileEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** It stands somewhere else. */
  readonly isLink?: true;
}

/** The part above a Markdown text. Keys are as in JavaScript: `allowed-tools` is `allowedTools`. */
export interface Head {
  readonly data: Readonly<Record<string, unknown>>;
  /** The text after it, without blank lines around it. */
  readonly body: string;
  /** What could not be read, with its line. The lines that could be read are in `data` all the same. */
  readonly problems: readonly string[];
  /** The problem that makes no sense of it at all: where an earlier text of the file is known, that goes on to hold. */
  readonly broken?: string;
}

/**
 * Files as one provider sees them. Nothing here throws, hangs or reads without end: what is wrong with a path becomes a
 * warning, and the answer is what the file held when it could be used last; where that is not known, `undefined` or empty,
 * as if it were not there. What is not there is no warning.
 */
export interface Files {
  readonly warnings: readonly string[];
  /** Every path that was looked at, also absent ones; with a slash where only what comes and goes there counts. */
  readonly watch: readonly string[];
  warn(path: string, why: string): void;
  kind(path: string): Promise<'file' | 'folder' | undefined>;
  /** What tells the file from the one it was before. */
  mark(path: string): Promise<string | undefined>;
  /** Something in a file is no use. True: what it held when all of it was goes on to count, and has to be read anew. */
  broken(path: string, why: string): boolean;
  /** Whether something of this name stands in a folder: one look at the folder tells it for all names. */
  has(folder: string, name: string): Promise<boolean>;
  /** Sorted by name. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** UTF-8, without a byte order mark. */
  text(path: string, options?: { readonly limit?: number }): Promise<string | undefined>;
  /** JSON, with comments and commas at the end, as people write it. */
  json(path: string): Promise<unknown>;
  yaml(path: string): Promise<unknown>;
  toml(path: string): Promise<unknown>;
  head(path: string): Promise<Head | undefined>;
  /** The path without links; undefined where it cannot be told. */
  real(path: string): Promise<string | undefined>;
}

/** Reads what lies in folders that nobody has looked through. */
export interface DiscoveryFiles {
  /** Files as one provider sees them in one place: what it looks at is remembered, to be watched. */
  open(where: Where, signal: AbortSignal): Files;
  /** What makes a path, links followed, one of a secret that no text for the model is read from. */
  secretIn(path: string, kernHome: string): string | undefined;
}

/** The files of discovery. Nothing found through it hangs or ends a run. */
export const discoveryFiles = defineService<DiscoveryFiles>({ id: 'discovery-files', level: 'builtin' });
