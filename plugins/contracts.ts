export * from './agent/contract.ts';
export * from './cli/contract.ts';
export * from './models/contract.ts';
export * from './modes/contract.ts';
export * from './permissions/contract.ts';
export * from './processes/contract.ts';
export * from './sessions/contract.ts';
export * from './tools/contract.ts';
