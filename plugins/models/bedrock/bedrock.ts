import {
  bedrockReply,
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  ModelError,
  type ModelProvider,
  modelNamed,
  whenAsked,
} from 'kern/contracts';
import { awsAccess } from './aws.ts';

export type BedrockSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;

const id = 'amazon-bedrock';

/** The models of Amazon Bedrock. Environment and shared files are read at each call: what is set counts at once. */
export function bedrock(settings: BedrockSettings): ModelProvider {
  const kept = keptModel();
  const missing = (): string | undefined => {
    const access = awsAccess(process.env);
    return access.state === 'missing' ? access.what : undefined;
  };
  const models = async (): Promise<readonly Model[]> => {
    const catalog = await import('./models.json', { with: { type: 'json' } });
    return catalogModels(id, catalog.default, missing() === undefined);
  };
  return {
    id,
    displayName: 'Amazon Bedrock',
    models,
    async model(name) {
      return modelNamed(await models(), name) ?? describeModel(id, name, { available: missing() === undefined });
    },
    missing,
    // The others are for every tool of AWS, which what kern starts may be.
    keys: () => ['$AWS_BEARER_TOKEN_BEDROCK'],
    catalog: () => id,
    stream: (request, signal) =>
      whenAsked(async () => {
        const access = awsAccess(process.env);
        if (access.state === 'missing') throw new ModelError('model_unauthorized', `${id}: ${access.what}`);
        const { region } = access;
        const fix =
          access.state === 'key'
            ? 'check AWS_BEARER_TOKEN_BEDROCK'
            : 'check the AWS keys (AWS_ACCESS_KEY_ID or AWS_PROFILE), and that the model is enabled for them in this region';
        const secret = access.state === 'key' ? access.key : access.credentials.secretAccessKey;
        const credentials = access.state === 'signed' ? access.credentials : undefined;
        const endpoint = { provider: id, baseUrl: baseOf(region), region, credentials, apiKey: secret, kept, fix };
        return bedrockReply({ ...endpoint, ...settings }, request, signal);
      }),
  };
}

function baseOf(region: string): string {
  const given = process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME?.trim() || process.env.AWS_ENDPOINT_URL?.trim();
  if (given) return given;
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
