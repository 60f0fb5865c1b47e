export { type Consumer, foundConsumers } from './consumers.ts';
export { discoverer, foundCapabilities, kindsOf } from './discoverer.ts';
export { type Expansion, expanded, expandText } from './files/expand.ts';
export { type Fields, flagOf, isFields, numberOf, present, textMapOf, textOf, textsOf } from './files/scalars.ts';
export type { FileFacts, FilePort } from './files/types.ts';
export { type NamedFolders, provideFolders } from './folders.ts';
export { type Leave, leaveToRun } from './leave.ts';
export { looksForText } from './looks-for.ts';
export type {
  At,
  Format,
  FormatName,
  FoundItems,
  FoundKind,
  Make,
  Markdown,
  Place,
  PlaceOf,
  PlaceOptions,
  Places,
} from './places.ts';
export { readAs } from './read-as.ts';
export { type Runnable, runnablesOf } from './runs.ts';
export { placeText, shapeOf } from './shapes.ts';
export { type ShellLine, shellLinesIn } from './shell-lines.ts';
export { trustItemOf } from './trust-items.ts';
