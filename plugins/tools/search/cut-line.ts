export { truncateLine as cutLine } from '../truncate.ts';

/** Where a long line is cut, in characters as a person counts them. */
export const lineLimit = 500;
