import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { reportFinding } from './report-finding.ts';

export default definePlugin({
  id: 'tools.report-finding',
  description: 'The tool report_finding: a reviewer notes one problem with its place and weight.',
  requires: ['tools'],
  setup: (ctx) => ctx.contribute(tools, reportFinding),
});
