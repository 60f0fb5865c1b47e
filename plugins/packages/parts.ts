/** A kind of thing that a package may bring, beside extensions. */
export interface PartKind {
  /** The name it has in a manifest. */
  readonly name: string;
  readonly kind: string;
  readonly format: 'skills' | 'texts' | 'data' | 'tool-files';
  /** The folder that counts where the manifest says nothing; only of what is text. What runs has to be named. */
  readonly folder?: string;
  readonly deep?: number;
}

/** What packages bring. What runs is never taken from a folder that only happens to have the name. */
export const partKinds: readonly PartKind[] = [
  { name: 'skills', kind: 'skill', format: 'skills', folder: 'skills', deep: 4 },
  { name: 'commands', kind: 'slash-command', format: 'texts', folder: 'commands', deep: 4 },
  { name: 'prompts', kind: 'prompt', format: 'texts', folder: 'prompts' },
  { name: 'rules', kind: 'rule', format: 'texts', folder: 'rules', deep: 4 },
  { name: 'instructions', kind: 'instruction', format: 'texts', folder: 'instructions' },
  { name: 'agents', kind: 'agent-definition', format: 'texts', folder: 'agents' },
  { name: 'hooks', kind: 'hook', format: 'data' },
  { name: 'tools', kind: 'custom-tool', format: 'tool-files' },
  { name: 'mcpServers', kind: 'mcp-server', format: 'data' },
];

/** Where the parts of a package stand. */
export interface StatedParts {
  /** By name of `partKinds`: paths from the folder of the package. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  /** MCP servers that stand in the manifest itself. */
  readonly servers: Readonly<Record<string, unknown>> | undefined;
  /** How its commands and hooks are written. */
  readonly dialect: 'kern' | 'pi' | 'claude';
  /** It is a plugin of another program: it has no package.json that speaks to kern. */
  readonly isForeign: boolean;
  /** What is said and not understood, or leads out of the package. */
  readonly problems: readonly string[];
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readers = ['kern', 'pi', 'omp'] as const;

/** The part of a package.json that speaks to kern. */
export function manifestIn(
  packageJson: unknown,
): { readonly reader: 'kern' | 'pi' | 'omp'; readonly manifest: Readonly<Record<string, unknown>> } | undefined {
  for (const reader of readers) {
    const manifest = isMap(packageJson) ? packageJson[reader] : undefined;
    if (isMap(manifest)) return { reader, manifest };
  }
  return undefined;
}

/** The manifests of other programs that make a package too, from its folder. */
export const otherManifests = {
  claude: '.claude-plugin/plugin.json',
  /** An Agent Plugin. */
  agent: 'plugin.json',
  gemini: 'gemini-extension.json',
} as const;

/** The content of those that are there. */
export type OtherManifests = Readonly<Partial<Record<keyof typeof otherManifests, unknown>>>;

/** The first of them that says anything. */
export function otherManifest(others: OtherManifests): Readonly<Record<string, unknown>> | undefined {
  const { claude, agent, gemini } = others;
  if (isMap(claude)) return claude;
  if (isMap(agent) && String(agent.$schema).startsWith('https://agent-plugins.org/')) return agent;
  return isMap(gemini) ? gemini : undefined;
}

/** What a package says it brings. What speaks to kern counts before what speaks to others. */
export function statedParts(packageJson: unknown, others: OtherManifests): StatedParts {
  const found = manifestIn(packageJson);
  const other = found === undefined ? otherManifest(others) : undefined;
  if (other !== undefined)
    return other === others.claude ? claudeParts(other) : foreignParts(other, other === others.agent);
  const { reader = 'kern', manifest = {} } = found ?? {};
  const problems: string[] = [];
  const paths = Object.fromEntries(
    partKinds.map(({ name, folder }) => {
      const said = manifest[name];
      if (said === undefined) return [name, folder === undefined ? [] : [folder]];
      return [name, pathsOf(isMap(said) ? [] : said, `${reader}.${name}`, problems)];
    }),
  );
  return {
    paths,
    servers: isMap(manifest.mcpServers) ? manifest.mcpServers : undefined,
    dialect: reader === 'kern' ? 'kern' : 'pi',
    isForeign: false,
    problems,
  };
}

/** Of an Agent Plugin, or of an extension of Gemini CLI, as far as others may read them. */
function foreignParts(manifest: Readonly<Record<string, unknown>>, isAgentPlugin: boolean): StatedParts {
  return {
    paths: isAgentPlugin ? { skills: ['skills'], mcpServers: ['mcp.json'] } : { skills: ['skills'] },
    servers: !isAgentPlugin && isMap(manifest.mcpServers) ? manifest.mcpServers : undefined,
    dialect: 'claude',
    isForeign: true,
    problems: isAgentPlugin
      ? []
      : ['of an extension of Gemini CLI the skills and the MCP servers are taken, and nothing else'],
  };
}

/** As Claude Code reads its plugins. */
function claudeParts(manifest: Readonly<Record<string, unknown>>): StatedParts {
  const problems: string[] = [];
  const named = (name: string, ...usual: string[]): readonly string[] => {
    const said = manifest[name];
    return [...usual, ...(said === undefined || isMap(said) ? [] : pathsOf(said, name, problems))];
  };
  return {
    paths: {
      skills: named('skills', 'skills'),
      commands: named('commands', 'commands'),
      agents: named('agents', 'agents'),
      hooks: named('hooks', 'hooks/hooks.json'),
      mcpServers: named('mcpServers', '.mcp.json'),
    },
    servers: isMap(manifest.mcpServers) ? manifest.mcpServers : undefined,
    dialect: 'claude',
    isForeign: true,
    problems,
  };
}

function pathsOf(said: unknown, name: string, problems: string[]): readonly string[] {
  const list = typeof said === 'string' ? [said] : said;
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) {
    problems.push(`${name} is a list of paths, such as ["./${name.slice(name.indexOf('.') + 1)}"]`);
    return [];
  }
  return (list as readonly string[]).flatMap((path) => {
    const clean = path.replace(/^\.\//, '').replace(/\/+$/, '');
    const isOutside = /^(?:[/\\]|[a-zA-Z]:)/.test(clean) || clean.split(/[/\\]/).includes('..');
    if (isOutside) problems.push(`${name}: ${path} leads out of the package`);
    else if (/[*?!{]/.test(clean)) problems.push(`${name}: ${path} is a pattern; name the file or the folder itself`);
    else return [clean === '.' ? '' : clean];
    return [];
  });
}
