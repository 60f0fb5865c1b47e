import { type At, type Fields, type HookItem, isFields, type McpServer, textsOf } from 'kern/contracts';

/** `mcpServers` of a settings.json, and which of them `mcp.allowed` and `mcp.excluded` leave. */
export async function geminiServers({ path, files, make }: At): Promise<readonly McpServer[]> {
  const data = await files.json(path);
  if (!isFields(data)) return [];
  const mcp = isFields(data.mcp) ? data.mcp : {};
  const allowed = Array.isArray(mcp.allowed) ? textsOf(mcp.allowed) : undefined;
  const excluded = textsOf(mcp.excluded);
  return make
    .mcpServers(usualServers(data.mcpServers), path)
    .map((server) =>
      allowed?.includes(server.name) === false || excluded.includes(server.name)
        ? { ...server, enabled: false }
        : server,
    );
}

/**
 * In the words that all others use: a `url` is one of server-sent events there, and the other is called `httpUrl`; `$NAME` is
 * a variable like `${NAME}`.
 */
export function usualServers(servers: unknown): unknown {
  if (!isFields(servers)) return servers;
  const said = (fields: Fields): Fields =>
    fields.type === undefined && fields.httpUrl === undefined && fields.url !== undefined
      ? { ...fields, type: 'sse' }
      : fields;
  return Object.fromEntries(
    Object.entries(servers).map(([name, fields]) => [name, isFields(fields) ? withBraces(said(fields)) : fields]),
  );
}

function withBraces(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`);
  if (Array.isArray(value)) return value.map(withBraces);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, withBraces(inside)]));
}

/** `hooks` of a settings.json; what is switched off there is left out. */
export async function geminiHooks({ path, files, make }: At): Promise<readonly HookItem[]> {
  const data = await files.json(path);
  if (!isFields(data) || !isFields(data.hooks)) return [];
  const { enabled, disabled: _, notifications: __, ...events } = data.hooks;
  const config = isFields(data.hooksConfig) ? data.hooksConfig : {};
  if (enabled === false || config.enabled === false) return [];
  return make.hooks(events, path, { dialect: 'gemini', milliseconds: true });
}
