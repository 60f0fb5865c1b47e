export type { PluginUnit } from './activation.ts';
export { brokenOff } from './broken-off.ts';
export {
  type CallableCapability,
  type Capability,
  defineCallableCapability,
  defineCapability,
  defineService,
  type Entry,
  type Level,
  type Origin,
  type ProvidedItem,
  type Provider,
  type ProviderAnswer,
  type Service,
  type TypedByParameters,
  type Verdict,
  type Where,
} from './capability.ts';
export { type Clock, systemClock } from './clock.ts';
export { type LazySettings, lazySettings } from './config/lazy-settings.ts';
export * as settingSchemas from './config/schemas.ts';
export { costsOf, type HookCost } from './cost.ts';
export { codeOf, KernError, messageOf, PluginError } from './error.ts';
export { type CapabilityChange, capabilityChanged, configChanged, type PluginChange, pluginChanged } from './events.ts';
export { type Contribution, explain, type PluginStatus } from './explain.ts';
export { makeFolder, makeFolderSync } from './folders.ts';
export { writePrivate } from './home.ts';
export {
  type CallResult,
  decide,
  event,
  gather,
  type Hook,
  type HookKind,
  resolve,
  series,
  type TapFunction,
  type TapOptions,
  transform,
} from './hook.ts';
export { isPluginId } from './host/definition.ts';
export {
  type ExtensionManifest as StatedManifest,
  type LocateResult,
  locateExtensions,
  locatePackage,
} from './host/locate.ts';
export { type Change, type ChangeResult, type Failure, Kernel, type KernelOptions, type WatchPort } from './kernel.ts';
export { didYouMean, editDistance, type NearOptions, nearNames } from './near.ts';
export {
  type Context,
  type ContributeOptions,
  type DeclaredSetting,
  definePlugin,
  type EntriesOptions,
  type Events,
  type Group,
  type Handle,
  type HookToken,
  type Kept,
  type Logger,
  type Offered,
  type PluginDefinition,
  type Reader,
  type State,
  type Token,
  type TrustGate,
  type TrustItem,
  type TrustState,
  type View,
} from './plugin.ts';
export {
  type Child,
  type Processes,
  type ProcessLimits,
  processes,
  type SpawnOptions,
  type SpawnResult,
  type TerminalOptions,
} from './process.ts';
export { installProcessHandlers } from './process-handlers.ts';
export type { Journal, Report, Severity } from './report.ts';
export { anything, type Parsed, parse, parseLater, type Schema } from './schema.ts';
export { absentUi, type QueuedTexts, type SendAs, type SessionHandle, type SwitchAnswer, type Ui } from './session.ts';
export type { SettingsPort } from './settings.ts';
export type { IdlePlugin } from './snapshot.ts';
export { withLock } from './trust/lock.ts';
export { visible } from './visible.ts';
