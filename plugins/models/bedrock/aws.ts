import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { AwsCredentials } from 'kern/contracts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How this machine signs in to AWS; `missing` says what would change that it cannot. */
export type AwsAccess =
  | { readonly state: 'key'; readonly key: string; readonly region: string }
  | { readonly state: 'signed'; readonly credentials: AwsCredentials; readonly region: string }
  | { readonly state: 'missing'; readonly what: string };

/**
 * As the tools of AWS look for it: a key of Bedrock's own, keys in the environment, then a profile in the shared files.
 * The default profile alone does not mean that somebody wants Bedrock: with it AWS_REGION or AWS_PROFILE has to be set.
 */
export function awsAccess(env: Environment): AwsAccess {
  const named = text(env.AWS_PROFILE);
  const givenRegion = text(env.AWS_REGION) ?? text(env.AWS_DEFAULT_REGION);
  const bearer = text(env.AWS_BEARER_TOKEN_BEDROCK);
  const keys = keysIn(env, envNames);
  const isAsked = bearer !== undefined || keys !== undefined || named !== undefined || givenRegion !== undefined;
  if (!isAsked) return missing('neither AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID nor AWS_PROFILE is set');
  const profile = readProfile(named ?? 'default', env);
  const region = givenRegion ?? text(profile.region);
  if (region === undefined) return missing('AWS_REGION is not set');
  if (bearer !== undefined) return { state: 'key', key: bearer, region };
  const credentials = keys ?? keysIn(profile, fileNames);
  if (credentials !== undefined) return { state: 'signed', credentials, region };
  const name = named ?? 'default';
  if (Object.keys(profile).length === 0 && named === undefined)
    return missing('AWS_REGION is set, but neither AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID nor AWS_PROFILE');
  if (Object.keys(profile).length === 0) return missing(`there is no profile ${name} in ~/.aws`);
  return missing(
    `the profile ${name} of ~/.aws holds no keys (kern does not sign in for it: \`aws configure export-credentials --profile ${name} --format env\` prints variables to set)`,
  );
}

const missing = (what: string): AwsAccess => ({ state: 'missing', what });
const text = (value: string | undefined): string | undefined => value?.trim() || undefined;

interface Names {
  readonly id: string;
  readonly secret: string;
  readonly token: string;
}
const envNames: Names = { id: 'AWS_ACCESS_KEY_ID', secret: 'AWS_SECRET_ACCESS_KEY', token: 'AWS_SESSION_TOKEN' };
const fileNames: Names = { id: 'aws_access_key_id', secret: 'aws_secret_access_key', token: 'aws_session_token' };

function keysIn(from: Environment, names: Names): AwsCredentials | undefined {
  const accessKeyId = text(from[names.id]);
  const secretAccessKey = text(from[names.secret]);
  const sessionToken = text(from[names.token]);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** What both shared files say of a profile; the one with the keys counts first. */
function readProfile(name: string, env: Environment): Environment {
  const folder = path.join(text(env.HOME) ?? homedir(), '.aws');
  const keys = text(env.AWS_SHARED_CREDENTIALS_FILE) ?? path.join(folder, 'credentials');
  const config = text(env.AWS_CONFIG_FILE) ?? path.join(folder, 'config');
  const section = name === 'default' ? /^(profile\s+)?default$/ : undefined;
  const inConfig = readSection(config, (title) => section?.test(title) ?? title === `profile ${name}`);
  return { ...inConfig, ...readSection(keys, (title) => title === name) };
}

function readSection(file: string, isWanted: (title: string) => boolean): Environment {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch {
    return {}; // most people have none
  }
  const found: Record<string, string> = {};
  let isInside = false;
  for (const line of content.split(/\r?\n/)) {
    const title = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    if (title !== undefined) isInside = isWanted(title.trim().replace(/\s+/g, ' '));
    // What is indented belongs to the value before it.
    const pair = isInside ? /^([A-Za-z_][\w-]*)\s*=\s*(.*)$/.exec(line) : null;
    if (pair?.[1] !== undefined && pair[2] !== undefined) found[pair[1].toLowerCase()] = pair[2].trim();
  }
  return found;
}
