import * as contract from 'kern/contracts';
import {
  type AgentEvent,
  agentSessions,
  createFaces,
  hookMessage,
  permissionDecided,
  prepareToolCall,
  type SessionOptions,
  toolFaces,
} from 'kern/contracts';
import { capabilityChanged, configChanged, definePlugin, pluginChanged } from 'kern/plugin';
import { contributeStrategies } from './compaction/strategies.ts';
import { createSession } from './create.ts';
import type { Session } from './session.ts';
import { agentSettings } from './settings.ts';
import type { ToolSeam } from './tool-seam.ts';

export default definePlugin({
  id: 'agent',
  description: 'Runs conversations: turns, tool calls, queues, and what plugins see and change of them.',
  after: ['models', 'tools', 'sessions'],
  config: agentSettings,
  declares: [
    agentSessions,
    contract.sessionStart,
    contract.sessionShutdown,
    contract.sessionBeforeSwitch,
    contract.sessionBeforeBranch,
    contract.sessionBeforeTree,
    contract.sessionBeforeCompact,
    contract.sessionSwitch,
    contract.sessionBranch,
    contract.sessionTree,
    contract.sessionCompact,
    contract.compactionStart,
    contract.compactionEnd,
    contract.compactionPins,
    contract.compactionStrategies,
    contract.retryStart,
    contract.retryEnd,
    contract.modelSelect,
    contract.thinkingSelect,
    contract.input,
    contract.inputText,
    contract.agentBeforeEnd,
    contract.agentBeforeStart,
    contract.agentStart,
    contract.agentEnd,
    contract.turnStart,
    contract.turnEnd,
    contract.queueChanged,
    contract.context,
    contract.systemPrompt,
    contract.messageStart,
    contract.messageUpdate,
    contract.messageEnd,
  ],
  async setup(ctx) {
    // A session outlives the revision that opened it: whichever revision is live tells all of them.
    const live = await ctx.keep('sessions', '1', () => ({
      value: new Set<Session>(),
      release: () => {},
    }));
    const tell = (event: AgentEvent, changesInstructions: boolean): void => {
      for (const session of live) {
        if (changesInstructions) session.stale();
        session.broadcast.emit(event);
      }
    };
    ctx.tap(pluginChanged, (change) => tell({ type: 'plugin_changed', ...change }, true));
    ctx.tap(capabilityChanged, (change) => tell({ type: 'capability_changed', ...change }, true));
    ctx.tap(configChanged, ({ keys }) => tell({ type: 'config_changed', keys }, true));
    ctx.tap(permissionDecided, (decided) => tell({ type: 'permission_decided', ...decided }, false));
    ctx.tap(hookMessage, ({ sessionId, hook, message }) => {
      for (const session of live)
        if (session.id === sessionId) session.broadcast.announce({ type: 'hook_message', hook, message });
    });

    const face = createFaces();
    const tools: ToolSeam = { faces: (view, named) => toolFaces(view, face, named), prepare: prepareToolCall };
    const began = (session: Session): (() => void) => {
      live.add(session);
      return () => void live.delete(session);
    };
    contributeStrategies(ctx);
    ctx.contribute(agentSessions, {
      create: (options: SessionOptions) => createSession(options, { tools, began }),
      open: () => [...live],
    });
  },
});
