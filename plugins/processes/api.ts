export { cleanEnvironment } from './environment.ts';
