export { withLock } from './lock.ts';
export {
  createTrust,
  overallState,
  type Trust,
  type TrustDifference,
  type TrustOptions,
  type TrustReason,
  type TrustStatus,
} from './trust.ts';
