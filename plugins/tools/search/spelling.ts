/** Gives arguments the names that a tool knows them by: models learned others from other agents' tools. */
export function respelled(args: unknown, names: Readonly<Record<string, readonly string[]>>): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const given: Record<string, unknown> = { ...args };
  for (const [name, others] of Object.entries(names)) {
    for (const other of others) {
      if (!(other in given)) continue;
      if (given[name] === undefined || given[name] === null) given[name] = given[other];
      delete given[other];
    }
  }
  return given;
}
