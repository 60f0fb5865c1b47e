import type { ModelRequest } from 'kern/contracts';
import { faces } from './formats/parse.ts';
import type { Format } from './request.ts';

/** The request with the edit tool as the model knows it best. Only ours: another tool of that name has its own face. */
export function inFormat(request: ModelRequest, standard: Format, format: Format): ModelRequest | undefined {
  if (format === standard) return undefined;
  const isOurs = (tool: ModelRequest['tools'][number]): boolean =>
    tool.name === 'edit' && tool.description === faces[standard].description;
  if (!request.tools.some(isOurs)) return undefined;
  return { ...request, tools: request.tools.map((tool) => (isOurs(tool) ? faces[format] : tool)) };
}
