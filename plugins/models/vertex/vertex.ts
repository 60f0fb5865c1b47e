import {
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  ModelError,
  type ModelProvider,
  modelNamed,
  replyOver,
  whenAsked,
} from 'kern/contracts';
import { type GooglePlace, googleAccess } from './access.ts';
import { GoogleTokens } from './token.ts';

export type VertexSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning'>;

const id = 'google-vertex';

/** Gemini on Vertex AI. Environment and credentials are read at each call: what is set counts at once. */
export function vertex(settings: VertexSettings): ModelProvider {
  const kept = keptModel();
  const tokens = new GoogleTokens();
  const missing = (): string | undefined => {
    const access = googleAccess(process.env);
    return access.state === 'missing' ? access.what : undefined;
  };
  const models = async (): Promise<readonly Model[]> => {
    const catalog = await import('./models.json', { with: { type: 'json' } });
    return catalogModels(id, catalog.default, missing() === undefined);
  };
  return {
    id,
    displayName: 'Google Vertex AI',
    models,
    async model(name) {
      const facts = { contextWindow: 1_000_000, available: missing() === undefined };
      return modelNamed(await models(), name) ?? describeModel(id, name, facts);
    },
    missing,
    keys: () => ['$GOOGLE_VERTEX_API_KEY', '$GOOGLE_CLOUD_API_KEY', '$GOOGLE_VERTEX_ACCESS_TOKEN'],
    catalog: () => id,
    stream: (request, signal) =>
      whenAsked(async () => {
        const access = googleAccess(process.env);
        if (access.state === 'missing') throw new ModelError('model_unauthorized', `${id}: ${access.what}`);
        const endpoint = { provider: id, isVertex: true, kept, ...settings };
        if (access.state === 'key') {
          const baseUrl = baseOf(undefined);
          const fix = 'check GOOGLE_VERTEX_API_KEY';
          return replyOver('google', { ...endpoint, baseUrl, apiKey: access.key, fix }, request, signal);
        }
        const apiKey = await tokens.token(access, request.network);
        const { project, location } = access.place;
        const fix = `check that you may use Vertex AI in the project ${project} (${location}), and GOOGLE_CLOUD_LOCATION`;
        const sent = { ...endpoint, baseUrl: baseOf(access.place), apiKey, bearer: true, fix };
        const events = replyOver('google', sent, request, signal);
        return forgetting(events, () => tokens.forget());
      }),
  };
}

/** Up to the models. With a key the project is known by it. */
function baseOf(place: GooglePlace | undefined): string {
  const given = process.env.GOOGLE_VERTEX_BASE_URL?.trim().replace(/\/+$/, '');
  if (place === undefined) return `${given || 'https://aiplatform.googleapis.com'}/v1/publishers/google`;
  const { project, location } = place;
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`;
  const path = `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;
  return `${given || `https://${host}`}/v1/${path}/publishers/google`;
}

/** A token that is refused is not tried again. */
function forgetting<T>(events: AsyncIterable<T>, forget: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = events[Symbol.asyncIterator]();
      const refused = (error: unknown): never => {
        if (error instanceof ModelError && error.code === 'model_unauthorized') forget();
        throw error;
      };
      return {
        next: () => inner.next().catch(refused),
        return: (value?: unknown) => inner.return?.(value) ?? Promise.resolve({ done: true, value }),
      };
    },
  };
}
