export { plainWords } from './command.ts';
