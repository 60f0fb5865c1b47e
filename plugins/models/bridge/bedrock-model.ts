import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { codeOf } from 'kern/plugin';
import type { BedrockEndpoint } from './bedrock-endpoint.ts';
import { withoutSlash } from './endpoint.ts';
import { ModelError } from './failure.ts';

/** The package's model. It is an option of ours, and may not be there. */
export async function bedrockModel(
  endpoint: BedrockEndpoint,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const { createAmazonBedrock } = await load();
  const { region, credentials } = endpoint;
  const made = createAmazonBedrock({
    baseURL: withoutSlash(endpoint.baseUrl),
    region,
    // An empty one keeps the package from looking into the environment.
    apiKey: credentials === undefined ? (endpoint.apiKey ?? '') : '',
    ...(credentials === undefined ? {} : { credentialProvider: async () => credentials }),
    headers: { ...endpoint.headers },
    fetch,
  })(model);
  return ending(made as unknown as LanguageModelV4); // its own copy of the same types
}

async function load(): Promise<typeof import('@ai-sdk/amazon-bedrock')> {
  try {
    return await import('@ai-sdk/amazon-bedrock');
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ModelError('model_bad_request', 'the package that speaks with Amazon Bedrock is not installed', {
      hint: 'npm install @ai-sdk/amazon-bedrock@5.0.101 where kern is installed',
    });
  }
}

/** A stream that ends without the last word of the model has been cut; the package calls that an end like any other. */
function ending(model: LanguageModelV4): LanguageModelV4 {
  return {
    ...fields(model),
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      const made = await model.doStream(options);
      return { ...made, stream: made.stream.pipeThrough(untilEnd()) };
    },
  };
}

function fields({ specificationVersion, provider, modelId, supportedUrls }: LanguageModelV4) {
  return { specificationVersion, provider, modelId, supportedUrls };
}

function untilEnd(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      const isCut =
        part.type === 'finish' && part.finishReason.unified === 'other' && part.finishReason.raw === undefined;
      controller.enqueue(isCut ? { ...part, finishReason: { ...part.finishReason, unified: 'interrupted' } } : part);
    },
  });
}
