export { shownPath } from './place.ts';
export { withSections } from './sections-placed.ts';
