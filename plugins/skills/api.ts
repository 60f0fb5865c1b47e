export { leftOutBy } from './wanted.ts';
