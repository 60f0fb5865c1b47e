import {
  type ModelRequest,
  modelHeaders,
  modelObservers,
  modelRequest,
  modelResponse,
  modelSelect,
  permissionDecided,
  thinkingSelect,
} from 'kern/contracts';
import { isRecord, type Payload } from '../extension.ts';
import { foreignModel, namedModel } from '../model-shape.ts';
import { around, copied, type Wire } from './wire.ts';

export const wireModelSelect: Wire = ({ extension }) => {
  extension.ctx.tap(modelSelect, ({ sessionId, model, previous, reason }) => {
    const session = extension.byId(sessionId);
    const current = session?.currentModel;
    const payload = {
      model: current?.id === model ? foreignModel(current) : namedModel(model),
      previousModel: previous === undefined ? undefined : namedModel(previous),
      source: reason === undefined ? 'set' : 'restore',
    };
    extension.tell('model_select', payload, session);
  });
};

export const wireThinkingSelect: Wire = ({ extension }) => {
  extension.ctx.tap(thinkingSelect, ({ sessionId, thinking, previous }) =>
    extension.tell('thinking_level_select', { level: thinking, previousLevel: previous }, extension.byId(sessionId)),
  );
};

export const wireHeaders: Wire = ({ extension }) => {
  extension.ctx.tap(modelHeaders, async ({ model, headers }) => {
    const event: Payload = { headers: { ...headers } };
    await extension.ask('before_provider_headers', event, around(extension));
    const changed = isRecord(event.headers) ? event.headers : headers;
    const kept = Object.entries(changed).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
    return { model, headers: Object.fromEntries(kept) };
  });
};

/** What of a request an extension may have changed. */
const writable = ['systemPrompt', 'messages', 'tools', 'thinking', 'maxOutput'] as const;

export const wireRequest: Wire = ({ extension }) => {
  extension.notice(
    'before_provider_request',
    'its before_provider_request sees the request before it is put into the words of the provider: systemPrompt, messages, tools, thinking, maxOutput',
    'info',
  );
  extension.ctx.tap(modelRequest, async (request) => {
    if (request.purpose !== 'turn') return undefined;
    const { model, systemPrompt, messages, tools, thinking, maxOutput } = request;
    const shown = { model: model.model, systemPrompt, messages, tools, thinking };
    let payload: unknown = copied(maxOutput === undefined ? shown : { ...shown, maxOutput });
    let isAnswered = false;
    const event: Payload = { payload };
    await extension.ask('before_provider_request', event, around(extension), (answer) => {
      if (answer === undefined) return undefined;
      isAnswered = true;
      payload = answer;
      event.payload = answer;
      return undefined;
    });
    if (!isAnswered || !isRecord(payload)) return undefined;
    const given = payload;
    const changes = writable.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
    return { ...request, ...Object.fromEntries(changes) } as ModelRequest;
  });
};

export const wireResponse: Wire = ({ extension }) => {
  extension.ctx.tap(modelResponse, ({ status }) =>
    // Which number it was is not told here.
    extension.tell('after_provider_response', { status: status === 'ok' ? 200 : 0, headers: {} }, around(extension)),
  );
};

export const wireStreamEvent: Wire = ({ extension }) => {
  extension.ctx.contribute(modelObservers, {
    id: `${extension.ctx.id}/provider_stream_event`,
    begin: ({ model, sessionId }) => {
      const session = extension.byId(sessionId);
      const { api } = foreignModel(model);
      return {
        event: (data) =>
          extension.tell('provider_stream_event', { provider: model.provider, api, model: model.model, data }, session),
      };
    },
  });
};

export const wireApproval: Wire = ({ extension }) => {
  extension.ctx.tap(permissionDecided, ({ tool, verdict, reason }) =>
    extension.tell(
      'tool_approval_resolved',
      { toolName: tool, approved: verdict === 'allow', reason },
      around(extension),
    ),
  );
};
