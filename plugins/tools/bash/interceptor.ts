interface Rule {
  readonly pattern: RegExp;
  readonly tool: string;
  readonly why: string;
}

/** Commands that do what a tool does better. */
const rules: readonly Rule[] = [
  { pattern: /^\s*(cat(?!\s*<<)|head|tail|less|more)\s/, tool: 'read', why: 'it shows lines with offset and limit' },
  {
    pattern: /^\s*(grep|rg|ripgrep|ag|ack)\s/,
    tool: 'grep',
    why: 'it knows what git ignores and limits what it shows',
  },
  {
    pattern: /^\s*(find|fd|locate)\s.*(-name|-iname|-type|--type|-glob)/,
    tool: 'find',
    why: 'it knows what git ignores and limits what it shows',
  },
  {
    pattern: /^\s*(sed\s+(-[a-zA-Z]*i|--in-place)|perl\s+-[pn]?i|awk\s+-i\s+inplace)/,
    tool: 'edit',
    why: 'it leaves every other byte of the file alone',
  },
  {
    pattern: /^\s*(echo|printf|cat\s*<<)[^|;&]*[^|;&0-9]>/,
    tool: 'write',
    why: 'it replaces a file whole or not at all',
  },
];

/** Which tool is there for a command, in words for the model. A pipe into more is left alone. */
export function betterTool(command: string, has: (tool: string) => boolean): string | undefined {
  const rule = rules.find(({ pattern, tool }) => pattern.test(command) && has(tool));
  if (rule === undefined || /[|;]|&&/.test(command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, ''))) return undefined;
  return `The command was not run: use the tool ${rule.tool} for this, ${rule.why}. (The setting plugins.tools.bash.interceptor asks for it.)`;
}
