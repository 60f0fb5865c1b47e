import { type DiscoveredModel, modelDiscovery, type Network, serverJson } from 'kern/contracts';

interface Asked {
  readonly signal: AbortSignal;
  readonly network?: Network | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

const outputOf = (context: number | undefined): number | undefined =>
  context === undefined ? undefined : Math.min(context, 32_768);

/** Longer than a list needs: a server may have to look into every file. */
const timeoutMs = 20_000;

/** Ollama tells the names in one list, and the rest of each model for itself. */
export async function askOllama(root: string, asked: Asked): Promise<readonly DiscoveredModel[]> {
  const { models } = fieldsOf(await serverJson(`${root}/api/tags`, { ...asked, timeoutMs }));
  const names = listOf(models).flatMap(({ model, name }) => textOf(model) ?? textOf(name) ?? []);
  const found: DiscoveredModel[] = [];
  // One after the other: it is one machine.
  for (const name of names) {
    const shown = fieldsOf(
      await serverJson(`${root}/api/show`, { ...asked, body: { model: name }, timeoutMs }).catch((error: unknown) => {
        asked.signal.throwIfAborted();
        if (error instanceof Error) return undefined; // one that cannot be shown is known by its name
        throw error;
      }),
    );
    const model = ollamaModel(name, shown);
    if (model !== undefined) found.push(model);
  }
  return found;
}

function ollamaModel(
  model: string,
  { model_info: info, capabilities, parameters }: Fields,
): DiscoveredModel | undefined {
  const can = Array.isArray(capabilities) ? capabilities : undefined;
  if (can !== undefined && !can.includes('completion')) return undefined;
  const about = fieldsOf(info);
  const architecture = textOf(about['general.architecture']);
  // What its Modelfile sets is what the server gives it.
  const set = countOf(Number(/^\s*num_ctx\s+(\d+)/m.exec(textOf(parameters) ?? '')?.[1] ?? 0));
  const contextWindow = set ?? countOf(about[`${architecture}.context_length`]);
  return {
    model,
    contextWindow,
    maxOutput: outputOf(contextWindow),
    input: can === undefined ? undefined : can.includes('vision') ? ['text', 'image'] : ['text'],
    thinking: can === undefined ? undefined : can.includes('thinking') ? ['off', 'low', 'medium', 'high'] : ['off'],
  };
}

export async function askLmStudio(root: string, asked: Asked): Promise<readonly DiscoveredModel[]> {
  const { data } = fieldsOf(await serverJson(`${root}/api/v0/models`, { ...asked, timeoutMs }));
  return listOf(data).flatMap(({ id, type, max_context_length: most, loaded_context_length: loaded }) => {
    const model = textOf(id);
    if (model === undefined || type === 'embeddings') return [];
    const contextWindow = countOf(loaded) ?? countOf(most);
    const input = type === 'vlm' ? (['text', 'image'] as const) : (['text'] as const);
    return [{ model, contextWindow, maxOutput: outputOf(contextWindow), input }];
  });
}

/** llama.cpp has one model, and tells of it beside the list. */
export async function askLlamaCpp(root: string, asked: Asked): Promise<readonly DiscoveredModel[]> {
  const [listed, props] = await Promise.all([
    modelDiscovery('openai-chat', { baseUrl: `${root}/v1` }).ask(asked.signal, { network: asked.network }),
    serverJson(`${root}/props`, { ...asked, timeoutMs }).then(fieldsOf, () => {
      asked.signal.throwIfAborted();
      return fieldsOf(undefined); // an older server, which has the list only
    }),
  ]);
  const contextWindow = countOf(fieldsOf(props.default_generation_settings).n_ctx);
  const sees = fieldsOf(props.modalities).vision;
  return listed.map((one) => ({
    ...one,
    contextWindow: contextWindow ?? one.contextWindow,
    maxOutput: outputOf(contextWindow ?? one.contextWindow),
    input: sees === true ? ['text', 'image'] : sees === false ? ['text'] : one.input,
  }));
}
