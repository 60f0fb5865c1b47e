export { type Artifact, newArtifact, saveArtifact } from './artifact.ts';
export { type PreparedToolCall, prepareToolCall, type ToolCallRequest } from './call.ts';
export { createFaces, faceOf, inputSchemaOf, toolFaces } from './face.ts';
export { hiddenToolNames, isToolAllowed, type ToolGate } from './gate.ts';
export { missingFolders, removeFolders } from './made-folders.ts';
export {
  type DiagnosticMeta,
  formatOutputNotice,
  formatTruncation,
  type LimitReached,
  type LimitsMeta,
  type OutputMeta,
  type SourceMeta,
  type TruncationMeta,
  type TruncationOptions,
  truncationOf,
} from './output-meta.ts';
export { exactPath, realPath, resolvePath, whatIsThere } from './paths.ts';
export { errorResult, resultText, textResult } from './result.ts';
export { ToolResultBuilder, toolResultBuilder, type WithMeta } from './result-builder.ts';
export * as searching from './search/parts.ts';
export * as shells from './shell/parts.ts';
export { createRing, type Ring } from './shell/ring.ts';
export { createSink as createOutputSink, type Output as OutputSummary, type OutputSink } from './shell/sink.ts';
export { stubOf, type ToolStub } from './stubs.ts';
export { type SubmittedResult, submitResultTool } from './submit-result.ts';
export { type DecodedText, decodeText, encodeText, encodingName, readableText } from './text/codec.ts';
export { countByte } from './text/count-byte.ts';
export { detectEncoding, type Encoding } from './text/detect.ts';
export { newFileText, replacementText, type StyledText } from './text/file-style.ts';
export { commonestLineEnd, countLineEnds, type LineEnd, lineEndName, withLineEnd } from './text/line-ends.ts';
export { spelledAs } from './text/spelling.ts';
export {
  cutToBytes,
  formatBytes,
  formatOver,
  type OutputLimits,
  outputLimits,
  type Truncated,
  truncateHead,
  truncateLine,
  truncateMiddle,
  truncateTail,
} from './truncate.ts';
