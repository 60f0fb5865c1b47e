import { submitResultTool, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'tools.submit-result',
  description: 'The tool submit_result: a subagent hands in what it was asked for.',
  requires: ['tools'],
  setup: (ctx) => ctx.contribute(tools, submitResultTool()),
});
