import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** A file as `gcloud` or the console writes it. */
export type GoogleFile =
  | {
      readonly type: 'service_account';
      readonly client_email: string;
      readonly private_key: string;
      readonly private_key_id?: string;
      readonly token_uri?: string;
      readonly project_id?: string;
    }
  | {
      readonly type: 'authorized_user';
      readonly client_id: string;
      readonly client_secret: string;
      readonly refresh_token: string;
      readonly token_uri?: string;
      readonly quota_project_id?: string;
    };

/** How this machine signs in to Google Cloud; `missing` says what would change that it cannot. */
export type GoogleAccess =
  | { readonly state: 'key'; readonly key: string }
  | { readonly state: 'token'; readonly token: string; readonly place: GooglePlace }
  | { readonly state: 'file'; readonly file: GoogleFile; readonly path: string; readonly place: GooglePlace }
  | { readonly state: 'machine'; readonly place: GooglePlace }
  | { readonly state: 'missing'; readonly what: string };

export interface GooglePlace {
  readonly project: string;
  readonly location: string;
}

/**
 * As the tools of Google look for it. What `gcloud` keeps for everything does not mean that somebody wants Vertex: with it
 * the project has to be named in the environment.
 */
export function googleAccess(env: Environment): GoogleAccess {
  const key = text(env.GOOGLE_VERTEX_API_KEY) ?? text(env.GOOGLE_CLOUD_API_KEY);
  if (key !== undefined) return { state: 'key', key };
  const location = text(env.GOOGLE_CLOUD_LOCATION) ?? text(env.GOOGLE_VERTEX_LOCATION) ?? 'global';
  const named = text(env.GOOGLE_CLOUD_PROJECT) ?? text(env.GOOGLE_VERTEX_PROJECT) ?? text(env.GCLOUD_PROJECT);
  const given = text(env.GOOGLE_APPLICATION_CREDENTIALS);
  if (given === undefined && named === undefined)
    return missing('neither GOOGLE_CLOUD_PROJECT nor GOOGLE_APPLICATION_CREDENTIALS is set');
  const file = given ?? usualFile(env);
  const read = file === undefined ? undefined : readFile(file);
  if (given !== undefined && read === undefined)
    return missing(`GOOGLE_APPLICATION_CREDENTIALS: ${given} is no service account and no sign-in of gcloud`);
  const project = named ?? projectIn(read);
  if (project === undefined) return missing('GOOGLE_CLOUD_PROJECT is not set');
  const place = { project, location };
  const token = text(env.GOOGLE_VERTEX_ACCESS_TOKEN) ?? text(env.CLOUDSDK_AUTH_ACCESS_TOKEN);
  if (token !== undefined) return { state: 'token', token, place };
  if (read !== undefined && file !== undefined) return { state: 'file', file: read, path: file, place };
  if (isOnGoogle(env)) return { state: 'machine', place };
  return missing('GOOGLE_CLOUD_PROJECT is set, but nobody is signed in (`gcloud auth application-default login`)');
}

const missing = (what: string): GoogleAccess => ({ state: 'missing', what });
const text = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** Where `gcloud auth application-default login` puts it. */
function usualFile(env: Environment): string | undefined {
  const folder =
    text(env.CLOUDSDK_CONFIG) ??
    (process.platform === 'win32'
      ? path.join(text(env.APPDATA) ?? '', 'gcloud')
      : path.join(text(env.HOME) ?? homedir(), '.config', 'gcloud'));
  const file = path.join(folder, 'application_default_credentials.json');
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
}

function readFile(file: string): GoogleFile | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isFile(found) ? found : undefined;
  } catch {
    return undefined; // whoever asked for it is told that it is none
  }
}

const needed: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
};

function isFile(value: unknown): value is GoogleFile {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const fields = value as Record<string, unknown>;
  return needed[String(value.type)]?.every((name) => typeof fields[name] === 'string') ?? false;
}

function projectIn(file: GoogleFile | undefined): string | undefined {
  return file?.type === 'service_account' ? file.project_id : file?.quota_project_id;
}

/** A machine of Google's, which knows who it is. */
function isOnGoogle(env: Environment): boolean {
  if ([env.GCE_METADATA_HOST, env.K_SERVICE, env.CLOUD_RUN_JOB, env.GAE_SERVICE].some((value) => text(value)))
    return true;
  try {
    return readFileSync('/sys/class/dmi/id/product_name', 'utf8').startsWith('Google');
  } catch {
    return false; // another kind of machine
  }
}
