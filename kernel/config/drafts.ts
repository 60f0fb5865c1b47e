import { type MapNode, nodeOf, withNode, withoutNode } from './node.ts';
import { type Wanted as Draft, pathToWrite } from './write.ts';

/** What a layer says with some values put in and others taken out. */
export function drafted(root: MapNode, drafts: readonly Draft[]): MapNode {
  let whole = root;
  for (const draft of drafts) {
    if (draft.value === undefined) whole = withoutNode(whole, draft.target.path);
    else whole = withNode(whole, placeFor(whole, draft), nodeOf(draft.value));
  }
  return whole;
}

/** Another hand may have made the place one that cannot be written: then saving says so, and the value counts all the same. */
function placeFor(root: MapNode, draft: Draft): readonly string[] {
  try {
    return pathToWrite(root, draft);
  } catch {
    return draft.target.path;
  }
}
