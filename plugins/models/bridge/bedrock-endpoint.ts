import type { Endpoint } from './endpoint.ts';

/** Where a request to Bedrock goes. Without credentials `apiKey` is a key of Bedrock's own. */
export interface BedrockEndpoint extends Endpoint {
  readonly region: string;
  readonly credentials?: AwsCredentials | undefined;
}

/** What a request is signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}
