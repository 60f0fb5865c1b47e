export { isResultOf } from './result-of.ts';
