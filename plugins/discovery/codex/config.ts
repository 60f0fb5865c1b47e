import {
  type At,
  type Fields,
  type HookItem,
  isFields,
  type McpServer,
  numberOf,
  textMapOf,
  textOf,
  textsOf,
} from 'kern/contracts';

/** `[mcp_servers.<name>]` of a config.toml. */
export async function codexServers({ path, files, make }: At): Promise<readonly McpServer[]> {
  const data = await files.toml(path);
  const servers = isFields(data) ? data.mcp_servers : undefined;
  if (!isFields(servers)) return make.mcpServers(servers, path);
  const read = Object.entries(servers).map(([name, fields]) => [name, isFields(fields) ? usual(fields) : fields]);
  return make.mcpServers(Object.fromEntries(read), path);
}

/** In the words that all others use. Variables stand as `${NAME}`: their values are put in when the server is started. */
function usual(fields: Fields): Fields {
  const { env_vars, env_http_headers, bearer_token_env_var, tool_timeout_sec, ...others } = fields;
  const fromEnvironment = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(map).map(([name, variable]) => [name, `\${${variable}}`]));
  const token = textOf(bearer_token_env_var);
  const headers = {
    ...textMapOf(fields.http_headers),
    ...fromEnvironment(textMapOf(env_http_headers) ?? {}),
    ...(token === undefined ? {} : { Authorization: `Bearer \${${token}}` }),
  };
  const forwarded = variablesOf(env_vars).map((name) => [name, name]);
  const seconds = numberOf(tool_timeout_sec);
  return {
    ...others,
    env: { ...fromEnvironment(Object.fromEntries(forwarded)), ...textMapOf(fields.env) },
    headers,
    ...(seconds === undefined ? {} : { timeout: seconds * 1000 }),
  };
}

/** Names, or tables that have one: `env_vars = ["A", { name = "B", source = "local" }]`. */
const variablesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? textsOf(value.map((one: unknown) => (isFields(one) ? one.name : one))) : [];

/** `[[hooks.<event>]]` of a config.toml. */
export async function codexHooks({ path, files, make }: At): Promise<readonly HookItem[]> {
  const data = await files.toml(path);
  if (!isFields(data) || !isFields(data.hooks)) return [];
  // What Codex remembers of hooks stands between them.
  const { state: _, ...events } = data.hooks;
  return make.hooks(events, path, { dialect: 'codex' });
}
