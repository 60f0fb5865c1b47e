/** What tools that run shell commands share. */
export { asksForInput } from './asks-for-input.ts';
export { endOf as endOfJob, startBackground } from './background.ts';
export { plainText } from './plain-text.ts';
export { programOnPath } from './program.ts';
export { runShell, type ShellDetails, type ShellPlan } from './run.ts';
export { howItEnded } from './told.ts';
export { wakeTool } from './wake.ts';
