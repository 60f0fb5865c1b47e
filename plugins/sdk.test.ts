import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentTool,
  allToolNames,
  createAgentSession,
  createAllToolDefinitions,
  createAllTools,
  createCodingToolDefinitions,
  createCodingTools,
  createKernel,
  createReadOnlyToolDefinitions,
  createReadOnlyTools,
  createTool,
  createToolDefinition,
  definePlugin,
  type ToolName,
  type ToolResult,
} from 'kern';
import { script } from 'kern/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

function folder(files: Readonly<Record<string, string>> = {}): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-sdk-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(made, name), text);
  return made;
}

/** A home of its own, so that nobody's settings count. */
function home(): string {
  const made = path.join(folder(), 'home');
  vi.stubEnv('KERN_HOME', made);
  onTestFinished(() => void vi.unstubAllEnvs());
  return made;
}

const textOf = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');

const named = (tools: readonly { readonly name: string }[]): readonly string[] => tools.map(({ name }) => name);

function find(tools: readonly AgentTool[], name: string): AgentTool {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no ${name}`);
  return tool;
}

test('the core tools have one definition each, with a JSON Schema and nothing that runs', () => {
  expect([...allToolNames]).toEqual(['read', 'bash', 'powershell', 'edit', 'write', 'grep', 'find', 'ls']);
  for (const name of allToolNames) {
    const definition = createToolDefinition(name);
    expect(definition).toMatchObject({ name, description: expect.any(String), parameters: { type: 'object' } });
    expect(definition).not.toHaveProperty('execute');
  }
  expect(named(createCodingToolDefinitions())).toEqual(['read', 'bash', 'edit', 'write']);
  expect(named(createReadOnlyToolDefinitions())).toEqual(['read', 'grep', 'find', 'ls']);
  expect(Object.keys(createAllToolDefinitions())).toEqual([...allToolNames]);
  expect(createToolDefinition('edit', undefined, { edit: { format: 'apply_patch' } }).parameters).not.toEqual(
    createToolDefinition('edit').parameters,
  );
});

test('a name that is none throws with the known ones', () => {
  const known = expect.objectContaining({ code: 'tool_unknown', message: expect.stringContaining('read, bash') });
  expect(() => createTool('raed' as ToolName)).toThrow(known);
  expect(() => createToolDefinition('toString' as ToolName)).toThrow(known);
});

test('readers run in parallel, what changes things one after the other', () => {
  const modes = Object.values(createAllTools()).map(({ name, executionMode }) => [name, executionMode]);
  expect(Object.fromEntries(modes)).toEqual({
    ...{ read: 'parallel', grep: 'parallel', find: 'parallel', ls: 'parallel' },
    ...{ write: 'sequential', edit: 'sequential', bash: 'sequential', powershell: 'sequential' },
  });
});

test('tools work in their folder by themselves, with the arguments that models send', async () => {
  home();
  const cwd = folder({ 'a.txt': 'one\ntwo\n' });
  const tools = createCodingTools(cwd);
  await using read = find(tools, 'read');
  expect(textOf(await read.execute('1', { path: 'a.txt', offset: '2' }))).toContain('two');
  expect(await find(tools, 'write').execute('2', { path: 'b.txt', content: 'B\n' })).toMatchObject({ content: [{}] });
  expect(readFileSync(path.join(cwd, 'b.txt'), 'utf8')).toBe('B\n');
  await find(tools, 'edit').execute('3', { path: 'b.txt', edits: { oldText: 'B', newText: 'C' } });
  expect(readFileSync(path.join(cwd, 'b.txt'), 'utf8')).toBe('C\n');
  const bash = find(tools, 'bash');
  await bash.execute('4', { command: 'export A=kept' });
  // Tools that were made together share a shell.
  expect(textOf(await bash.execute('5', { command: 'echo $A' }))).toBe('kept');
  const refused = await read.execute('6', { offset: 1 });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toMatch(/path: is missing(.|\n)*Right shape: \{path: string/);
});

test('the readers find, list and search', async () => {
  home();
  const tools = createReadOnlyTools(folder({ 'a.txt': 'needle\n' }));
  await using grep = find(tools, 'grep');
  expect(textOf(await grep.execute('1', { pattern: 'needle' }))).toContain('a.txt:1: needle');
  expect(textOf(await find(tools, 'find').execute('2', { pattern: '*.txt' }))).toContain('a.txt');
  expect(textOf(await find(tools, 'ls').execute('3', {}))).toContain('a.txt');
});

test('an aborted call ends as a result', async () => {
  home();
  await using bash = createTool('bash', folder());
  const result = await bash.execute('1', { command: 'sleep 60' }, AbortSignal.timeout(200));
  expect(result).toMatchObject({ isError: true });
});

test('through a view the gate of its kernel holds', async () => {
  const cwd = folder();
  await using kern = await createKernel({ cwd, home: home(), permissionMode: 'plan' });
  const write = createTool('write', cwd, { view: kern.view });
  expect(await write.execute('1', { path: 'a.txt', content: 'A' })).toMatchObject({ isError: true });
  expect(existsSync(path.join(cwd, 'a.txt'))).toBe(false);
});

test('a program opens a session, follows it, and everything ends with it', async () => {
  const cwd = folder({ 'a.txt': 'secret word: plum\n' });
  using replies = script([
    { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
    { expect: { toolResult: [{ tool: 'read', contains: 'plum' }] }, text: 'It is plum.' },
  ]);
  await using open = await createAgentSession({ cwd, home: home(), model: replies.model, persist: false });
  const seen: string[] = [];
  open.session.subscribe(({ type }) => void seen.push(type));
  expect(await open.session.prompt({ text: 'What is the word?' })).toMatchObject({ status: 'ok', text: 'It is plum.' });
  expect(seen).toContain('tool_execution_end');
});

test('a house of one’s own holds several sessions, and takes plugins', async () => {
  const cwd = folder();
  using replies = script([{ text: 'hi' }, { text: 'hi' }]);
  await using kern = await createKernel({ cwd, home: home(), settings: { model: replies.model } });
  for (const _ of [1, 2]) {
    await using open = await createAgentSession({ kern, persist: false });
    expect(open.kern).toBe(kern);
    expect(await open.session.prompt({ text: 'hello' })).toMatchObject({ status: 'ok', text: 'hi' });
  }
  expect(definePlugin({ id: 'mine', setup: () => {} })).toMatchObject({ id: 'mine' });
});
