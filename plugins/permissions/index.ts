import { homedir } from 'node:os';
import {
  type PermissionMode,
  type PermissionQuestion,
  type PermissionVerdict,
  permissionAsk,
  permissionDecided,
  permissions,
  placesTables,
  toolCall,
} from 'kern/contracts';
import { type Context, definePlugin } from 'kern/plugin';
import { executablesOf } from './executables.ts';
import { judge } from './judge.ts';
import { decideCall, type Keeper } from './keeper.ts';
import { canonical } from './paths.ts';
import { readSettings, type Settings } from './policy.ts';
import type { Places } from './rules.ts';

export default definePlugin({
  id: 'permissions',
  description: 'Keeps the gate: judges every tool call by its effects, and asks the person where the mode says so.',
  declares: [permissions, permissionAsk, permissionDecided],
  setup(ctx) {
    const keeper: Keeper = {
      settings: () => settingsOf(ctx),
      places: () => placesOf(ctx),
      prepare: () => ctx.use(placesTables).load(ctx.signal),
      ask: (question) => ctx.asking(ctx.call(permissionAsk, question)),
      ui: () => ctx.ui,
      asking: (answer) => ctx.asking(answer),
      decided: (decision) => void ctx.call(permissionDecided, decision),
    };
    // Last: nobody is asked about a call that another tap refuses anyway.
    ctx.tap(toolCall, (call) => decideCall(call, keeper), { order: 1_000 });
    ctx.contribute(permissions, {
      get mode(): PermissionMode {
        return settingsOf(ctx).policy.mode;
      },
      judge: (question: PermissionQuestion): PermissionVerdict =>
        judge(question, settingsOf(ctx).policy, placesOf(ctx)),
    });
  },
});

/** Read at every call: a changed config counts at once. */
const settingsOf = (ctx: Context): Settings => readSettings((key) => ctx.setting(key));

function placesOf(ctx: Context): Places {
  const { root, home, user = homedir() } = ctx.where;
  return {
    root: canonical(root) ?? root,
    kernHome: canonical(home) ?? home,
    executables: executablesOf(ctx.use(placesTables).items(), { user }),
  };
}
