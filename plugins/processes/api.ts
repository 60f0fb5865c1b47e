export { createRing, type Ring } from './ring.ts';
