export { plainWords } from './command.ts';
export { protectedRead } from './protected-reads.ts';
