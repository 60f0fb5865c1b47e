export { cutLine, lineLimit } from './cut-line.ts';
export { createGlobs, depthOf, folderOf, type Globs, type PathTest, readGlob, whyNoGlob } from './globs.ts';
export { type IgnoreRules, noRules, type RootRules, rulesAbove } from './ignored.ts';
export { createList, type List, unreadableNotice, withNotices } from './list.ts';
export { oneLine, type Place, placeOf, shownPaths } from './place.ts';
export { findRipgrep, isProgram } from './ripgrep.ts';
export { respelled } from './spelling.ts';
export { createUpdates, type Updates } from './updates.ts';
export { byCodePoint, type EntryKind, type WalkEntry, type WalkOptions, walk } from './walk.ts';
