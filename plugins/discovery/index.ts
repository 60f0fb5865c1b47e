import { definePlugin } from 'kern/plugin';
import { discoveryFiles, placesTables, skillsOffered } from './contract.ts';
import { foundCapabilities } from './discoverer.ts';
import { createFiles } from './files/system.ts';

export default definePlugin({
  id: 'discovery',
  description: 'What lies in the folders of a project and of a person: kinds, files, and how they are read.',
  declares: [...Object.values(foundCapabilities), placesTables, discoveryFiles, skillsOffered],
  setup: (ctx) => ctx.contribute(discoveryFiles, createFiles()),
});
