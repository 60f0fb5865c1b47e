export { type Artifact, newArtifact } from './artifact.ts';
export { type PreparedToolCall, prepareToolCall, type ToolCallRequest } from './call.ts';
export { closest } from './closest.ts';
export { createFaces, faceOf, inputSchemaOf, toolFaces } from './face.ts';
export { realPath, resolvePath, whatIsThere } from './paths.ts';
export { errorResult, resultText, textResult } from './result.ts';
export {
  cutToBytes,
  formatBytes,
  type OutputLimits,
  outputLimits,
  type Truncated,
  truncateHead,
  truncateTail,
} from './truncate.ts';
