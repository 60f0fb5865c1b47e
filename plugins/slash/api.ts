export { filledIn, hasPlaces } from './fill.ts';
export { type Slashed, slashed } from './slashed.ts';
