export { withLock } from './lock.ts';
export {
  createTrust,
  overallState,
  type Trust,
  type TrustOptions,
  type TrustReason,
  type TrustStatus,
} from './trust.ts';
