import { discoverer, type Format, type FoundKind, type Place } from 'kern/contracts';

// What installed packages bring beside extensions: their folders are found by the lock file.

function part<K extends FoundKind>(kind: K, name: string): readonly Place[] {
  const format: Format<K> = {
    shape: `\`${name}\` of each package`,
    read: async (at) => (await import('./read.ts')).partsOf(at, kind, name),
  };
  const places = ['.kern/packages/packages.lock.json', '$KERN_HOME/packages/packages.lock.json'];
  // Kind and format are of one type, which a union cannot tell.
  return places.map((path) => ({ kind, path, format }) as unknown as Place);
}

export default discoverer({
  id: 'packages',
  displayName: 'Packages',
  description: 'What packages bring that were installed with kern plugins install.',
  priority: 75,
  places: [
    ...part('skill', 'skills'),
    ...part('slash-command', 'commands'),
    ...part('prompt', 'prompts'),
    ...part('rule', 'rules'),
    ...part('instruction', 'instructions'),
    ...part('agent-definition', 'agents'),
    ...part('hook', 'hooks'),
    ...part('custom-tool', 'tools'),
    ...part('mcp-server', 'mcpServers'),
  ],
});
