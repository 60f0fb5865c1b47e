import type { View } from 'kern/plugin';
import { type ModelRequest, modelHeaders } from './contract.ts';

/** Who asks is said by the provider alone, and what belongs to the connection by nobody. */
const reserved =
  /(^|-)(authorization|api-?key|token|secret|cookie|password|credential)$|^x-amz-|^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding)$/i;

/** A request with the headers that plugins give it, and without those that are not theirs to give. */
export async function withHeaders(view: View, request: ModelRequest): Promise<ModelRequest> {
  const isAsked = view.taps(modelHeaders) > 0;
  if (request.headers === undefined && !isAsked) return request;
  const given = allowed(request.headers);
  const asked = isAsked ? await view.call(modelHeaders, { model: request.model.id, headers: given }) : undefined;
  return { ...request, headers: asked === undefined ? given : allowed(asked.headers) };
}

function allowed(headers: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {}))
    if (!reserved.test(name) && isName(name) && isValue(value)) kept[name] = value;
  return kept;
}

const isName = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** What cannot be sent would fail the whole request. */
const isValue = (value: unknown): value is string =>
  typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value);
