export { type Consumer, foundConsumers } from './consumers.ts';
export { discoverer, foundCapabilities, kindsOf } from './discoverer.ts';
export { type Expansion, expanded, expandText } from './files/expand.ts';
export type { FileFacts, FilePort } from './files/types.ts';
export {
  type At,
  type Format,
  type FormatName,
  type FoundItems,
  type FoundKind,
  type Make,
  type Markdown,
  type Place,
  type PlaceOf,
  type PlaceOptions,
  type Places,
  placesTables,
} from './places.ts';
export { trustItemOf } from './trust-items.ts';
