export { type Artifact, newArtifact } from './artifact.ts';
export { type PreparedToolCall, prepareToolCall, type ToolCallRequest } from './call.ts';
export { createFaces, faceOf, inputSchemaOf, toolFaces } from './face.ts';
export { realPath, resolvePath, whatIsThere } from './paths.ts';
export { errorResult, resultText, textResult } from './result.ts';
export * as searching from './search/parts.ts';
export * as shells from './shell/parts.ts';
export { createRing, type Ring } from './shell/ring.ts';
export { type DecodedText, decodeText, encodeText, encodingName, readableText } from './text/codec.ts';
export { detectEncoding, type Encoding } from './text/detect.ts';
export { newFileText, replacementText, type StyledText } from './text/file-style.ts';
export { commonestLineEnd, countLineEnds, type LineEnd, lineEndName, withLineEnd } from './text/line-ends.ts';
export { spelledAs } from './text/spelling.ts';
export {
  cutToBytes,
  formatBytes,
  type OutputLimits,
  outputLimits,
  type Truncated,
  truncateHead,
  truncateTail,
} from './truncate.ts';
