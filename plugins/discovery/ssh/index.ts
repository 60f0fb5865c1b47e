import { discoverer } from 'kern/contracts';

export default discoverer({
  id: 'ssh',
  displayName: 'ssh.json',
  description: 'Hosts that a project names to be reached by SSH.',
  priority: 5,
  places: [
    { kind: 'ssh-host', path: 'ssh.json', format: 'data' },
    { kind: 'ssh-host', path: '.ssh.json', format: 'data' },
  ],
});
