import type { HookItem } from 'kern/contracts';
import { expect, test } from 'vitest';
import { hookEvents } from './events.ts';
import { matchesCall, matchesText, matchesTool } from './matcher.ts';
import { momentOf } from './moments.ts';
import { fromInput, toInput } from './tool-inputs.ts';
import { toolNameIn } from './tool-names.ts';

type Dialect = HookItem['dialect'];
const matches = (matcher: string, tool: string, dialect?: Dialect): boolean =>
  matchesTool({ matcher, ...(dialect === undefined ? {} : { dialect }) }, tool);

test.for([
  ['', 'bash', true],
  ['*', 'anything', true],
  ['Bash', 'bash', true],
  ['Bash', 'powershell', true],
  ['Read', 'powershell', false],
  ['run_shell_command', 'bash', true],
  ['execute_command', 'bash', true],
  ['Shell', 'bash', true],
  ['shell', 'bash', true],
  ['Edit|Write|MultiEdit', 'edit', true],
  ['Edit|Write|MultiEdit', 'write', true],
  ['Edit|Write|MultiEdit', 'read', false],
  ['write_file|replace', 'edit', true],
  ['apply_patch', 'write', true],
  ['replace_in_file', 'edit', true],
  ['view', 'read', true],
  ['Glob', 'find', true],
  ['search_file_content', 'grep', true],
  ['Read | Grep', 'grep', true],
  ['mcp__.*', 'mcp__docs__search', true],
  ['mcp__.*', 'bash', false],
  ['Bash|mcp__docs__.*', 'bash', true],
  ['mcp__docs', 'mcp__docs__search', false],
  ['mcp_docs_search', 'mcp__docs__search', true],
  ['^(?!bash).*', 'bash', false],
  ['^(?!Bash).*', 'bash', false],
  ['^(?!Bash).*', 'read', true],
] as const)('%j means %s: %s', ([matcher, tool, is]) => {
  expect(matches(matcher, tool)).toBe(is);
});

test('a pattern is held against the names of its dialect', () => {
  expect(matches('.*_file', 'write', 'gemini')).toBe(true);
  expect(matches('.*_file', 'write', 'claude')).toBe(false);
  expect(matches('^Notebook', 'bash', 'claude')).toBe(false);
  expect(() => matches('(', 'bash')).toThrow(SyntaxError);
  expect(matchesText({ matcher: 'startup|resume' }, 'resume')).toBe(true);
  expect(matchesText({ matcher: 'startup' }, 'resume')).toBe(false);
});

test.for([
  ['Bash(git *)', { command: 'git push' }, true],
  ['Bash(git *)', { command: 'git' }, true],
  ['Bash(git *)', { command: 'github' }, false],
  ['Bash(git:*)', { command: 'git log' }, true],
  ['Bash(rm *)', { command: 'cd x && rm -rf y' }, true],
  ['Bash(npm test)', { command: 'npm test' }, true],
  ['Bash(npm test)', { command: 'npm test -- x' }, false],
  ['Bash', { command: 'anything' }, true],
  ['Write(*.ts)', { command: 'x.ts' }, false],
  ['Write(*.ts), Bash(ls *)', { command: 'ls -l' }, true],
] as const)('%s on %j: %s', ([when, args, is]) => {
  expect(matchesCall(when, 'bash', args)).toBe(is);
});

test.for([
  [
    'claude',
    'bash',
    { command: 'ls', timeout: 5, background: true },
    { command: 'ls', timeout: 5000, run_in_background: true },
  ],
  ['claude', 'read', { path: 'a', offset: 2 }, { file_path: 'a', offset: 2 }],
  [
    'claude',
    'edit',
    { path: 'a', edits: [{ oldText: '1', newText: '2' }] },
    { file_path: 'a', old_string: '1', new_string: '2' },
  ],
  [
    'claude',
    'edit',
    {
      path: 'a',
      edits: [
        { oldText: '1', newText: '2' },
        { oldText: '3', newText: '4' },
      ],
    },
    {
      file_path: 'a',
      edits: [
        { old_string: '1', new_string: '2' },
        { old_string: '3', new_string: '4' },
      ],
    },
  ],
  ['claude', 'grep', { pattern: 'x', ignoreCase: true }, { pattern: 'x', '-i': true }],
  ['gemini', 'bash', { command: 'ls', cwd: '/', timeout: 5 }, { command: 'ls', directory: '/', timeout: 5 }],
  ['cursor', 'bash', { command: 'ls', cwd: '/' }, { command: 'ls', working_directory: '/' }],
  ['cline', 'grep', { pattern: 'x', glob: '*' }, { regex: 'x', file_pattern: '*' }],
  ['kern', 'edit', { path: 'a', edits: [] }, { path: 'a', edits: [] }],
] as const)('the arguments of %s %s, there and back', ([dialect, tool, ours, theirs]) => {
  expect(toInput(dialect, tool, ours)).toEqual(theirs);
  expect(fromInput(dialect, tool, theirs)).toEqual(ours);
});

test('several replacements have a name of their own', () => {
  expect(toolNameIn('claude', 'edit', { edits: [1] })).toBe('Edit');
  expect(toolNameIn('claude', 'edit', { edits: [1, 2] })).toBe('MultiEdit');
  expect(toolNameIn('gemini', 'edit')).toBe('replace');
  expect(toolNameIn('gemini', 'mcp__docs__search')).toBe('mcp_docs_search');
  expect(toolNameIn('claude', 'own_tool')).toBe('own_tool');
});

test('events are known by the names that other agents give them', () => {
  const event = (name: string, dialect?: Dialect): string | undefined =>
    momentOf({ event: name, ...(dialect === undefined ? {} : { dialect }) })?.event.event;
  expect(event('pre_tool_use')).toBe('PreToolUse');
  expect(event('preToolUse', 'cursor')).toBe('PreToolUse');
  expect(event('beforeShellExecution', 'cursor')).toBe('PreToolUse');
  expect(event('AfterAgent', 'gemini')).toBe('Stop');
  expect(event('TaskCancel', 'cline')).toBe('Interrupt');
  expect(event('Whatever')).toBeUndefined();
  for (const { event: name, also } of hookEvents) {
    expect(event(name)).toBe(name);
    for (const other of also.flatMap((line) => line.replace(/^\w+: /, '').split(', ')))
      expect(event(other), other).toBe(name);
  }
});
