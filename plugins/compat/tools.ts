import {
  type AgentSession,
  type AnyTool,
  type Effect,
  type PromptSection,
  prepareToolCall,
  systemPrompt,
  type ToolContext,
  type ToolResult,
  toolFaces,
  tools,
} from 'kern/contracts';
import { KernError, type Offered, type Where } from 'kern/plugin';
import { type Extension, isRecord, type Payload } from './extension.ts';

/** A tool as pi and oh-my-pi define one, as far as it runs. */
export interface ForeignTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly label?: string;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  readonly executionMode?: 'sequential' | 'parallel';
  readonly exposure?: string;
  readonly hidden?: boolean;
  readonly defaultActive?: boolean;
  readonly defaultInactive?: boolean;
  readonly annotations?: Payload;
  readonly approval?: unknown;
  readonly prepareArguments?: (args: unknown) => unknown;
  /** kern's own: what a call does to the world. */
  readonly effects?: (args: never, where: Where) => readonly Effect[];
  execute(id: string, args: unknown, signal: AbortSignal, onUpdate: unknown, context: unknown): unknown;
}

export interface ToolParts {
  readonly extension: Extension;
  /** What `execute` gets as its last argument. */
  readonly context: (session: AgentSession | undefined, signal: AbortSignal) => object;
  /** Code that runs inside may call kern's own tools. */
  readonly within: <R>(tool: ToolContext, fn: () => R) => R;
}

/** The tools of an extension; one that it defines again takes the place of what it had. */
export class Tools {
  readonly #parts: ToolParts;
  readonly #offered = new Map<string, { readonly tool: ForeignTool; readonly offered: Offered }>();
  #saysMore = false;

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  register(definition: unknown): void {
    const { extension } = this.#parts;
    const tool = checked(extension, definition);
    this.#offered.get(tool.name)?.offered.withdraw();
    const { path, toolPriority: priority } = extension.origin;
    const offered = extension.ctx.contribute(tools, this.#toolOf(tool), {
      path,
      ...(priority === undefined ? {} : { priority }),
    });
    this.#offered.set(tool.name, { tool, offered });
    const saysMore = tool.promptSnippet !== undefined || (tool.promptGuidelines?.length ?? 0) > 0;
    if (!saysMore || this.#saysMore) return;
    this.#saysMore = true;
    extension.ctx.tap(systemPrompt, ({ sections, where, tools: faces }) => {
      const section = this.#section(new Set(faces.map(({ name }) => name)));
      return section === undefined ? undefined : { sections: [...sections, section], where, tools: faces };
    });
  }

  /** What its tools say of themselves in the prompt, as long as the model has them. */
  #section(active: ReadonlySet<string>): PromptSection | undefined {
    const own = [...this.#offered.values()].map(({ tool }) => tool).filter(({ name }) => active.has(name));
    const lines = [
      ...own.flatMap(({ name, promptSnippet }) => (promptSnippet === undefined ? [] : [`- ${name}: ${promptSnippet}`])),
      ...new Set(own.flatMap(({ promptGuidelines = [] }) => promptGuidelines.map((line) => `- ${line}`))),
    ];
    if (lines.length === 0) return undefined;
    return { id: `${this.#parts.extension.ctx.id}.tools`, text: lines.join('\n') };
  }

  #toolOf(tool: ForeignTool): AnyTool {
    const { extension, context, within } = this.#parts;
    const effects = effectsOf(tool);
    const prepare = tool.prepareArguments?.bind(tool);
    return {
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool.parameters),
      ...(tool.executionMode === undefined ? {} : { executionMode: tool.executionMode }),
      ...(tool.hidden === true || tool.exposure === 'hidden' ? { hidden: true } : {}),
      ...(tool.defaultActive === false || tool.defaultInactive === true ? { defaultActive: false } : {}),
      ...(effects === undefined ? {} : { effects }),
      ...(prepare === undefined ? {} : { prepareArguments: prepare }),
      async execute(id, args, signal, onUpdate, toolContext) {
        const session = extension.session();
        const own = Object.create(null, {
          ...Object.getOwnPropertyDescriptors(context(session, signal)),
          ...Object.getOwnPropertyDescriptors(callsOf(id, session, toolContext.sessionId, signal)),
        });
        const update = (partial: unknown): void => onUpdate(resultOf(tool, partial));
        const answer = await within(toolContext, () => tool.execute(id, args, signal, update, own));
        return resultOf(tool, answer);
      },
    };
  }
}

/** Other tools that a call may call: each is asked about like a call of the model. */
function callsOf(id: string, session: AgentSession | undefined, sessionId: string, signal: AbortSignal): object {
  let count = 0;
  return {
    get tools() {
      return session === undefined ? [] : toolFaces(session.view).map(({ name }) => name);
    },
    async executeTool(name: string, args: unknown): Promise<ToolResult> {
      if (session === undefined)
        throw new KernError('no_session', `${name} was called by a tool where no session runs`, {
          hint: 'a tool calls others in a conversation alone',
        });
      count += 1;
      const call = { name, args, callId: `${id}/${count}`, sessionId, by: 'model' as const, signal };
      const prepared = await prepareToolCall(session.view, call);
      return prepared.state === 'ready' ? prepared.execute() : prepared.result;
    },
  };
}

function checked(extension: Extension, definition: unknown): ForeignTool {
  const wrong = !isRecord(definition)
    ? 'pi.registerTool takes an object'
    : typeof definition.name !== 'string'
      ? 'a tool has a name'
      : typeof definition.execute !== 'function'
        ? `the tool ${definition.name} has no execute(id, params, signal, onUpdate, ctx)`
        : undefined;
  if (wrong === undefined) return definition as unknown as ForeignTool;
  throw new KernError('bad_tool', `the extension ${extension.name}: ${wrong}`, {
    hint: 'pi.registerTool({ name, label, description, parameters, execute })',
  });
}

/** Plain JSON: what libraries hang on a schema beside its keys is gone. */
function schemaOf(parameters: unknown): Readonly<Record<string, unknown>> {
  const plain: unknown = parameters === undefined ? undefined : JSON.parse(JSON.stringify(parameters));
  return isRecord(plain) ? { type: 'object', ...plain } : { type: 'object', properties: {} };
}

/** Undefined: everything, so that a person is asked. */
function effectsOf(tool: ForeignTool): AnyTool['effects'] | undefined {
  if (typeof tool.effects === 'function') return tool.effects.bind(tool);
  const isReading = tool.annotations?.readOnlyHint === true || tool.annotations?.readOnly === true;
  if (!isReading && tool.approval !== 'read') return undefined;
  return (_args, where) => [{ kind: 'read', path: where.cwd }];
}

function resultOf(tool: ForeignTool, answer: unknown): ToolResult {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
  if (!isRecord(answer) || !Array.isArray(answer.content))
    throw new KernError('bad_result', `the tool ${tool.name} answered with no result`, {
      hint: 'a tool returns { content: [{ type: "text", text: "…" }], details }',
    });
  const { content, details, isError, terminate } = answer;
  return {
    content,
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError } : {}),
    ...(terminate === true ? { terminate } : {}),
  } as ToolResult;
}
