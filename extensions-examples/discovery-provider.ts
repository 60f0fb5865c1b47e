// Finds items in files: every notes/<name>.md of the project becomes a tool that reads it out.
// What `watch` names is watched; a new or edited note is there in the next turn.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type AnyTool, tools } from 'kern/contracts';
import { definePlugin, type ProvidedItem } from 'kern/plugin';

function noteTool(file: string): AnyTool {
  return {
    name: `note_${basename(file, '.md').replace(/[^a-zA-Z0-9_-]/g, '_')}`,
    description: `Reads out the note ${basename(file)}.`,
    inputSchema: { type: 'object', properties: {} },
    effects: () => [{ kind: 'read', path: file }],
    // The text is fetched when it is asked for: an item carries no file contents.
    execute: async () => ({ content: [{ type: 'text', text: await readFile(file, 'utf8') }] }),
  };
}

export default definePlugin({
  id: 'notes',
  setup: (ctx) =>
    ctx.provide(tools, {
      id: 'notes',
      displayName: 'Notes',
      description: 'Markdown files in notes/',
      priority: 50,
      load: async ({ root }) => {
        const folder = join(root, 'notes');
        const files = await readdir(folder).catch((): string[] => []);
        const items = files
          .filter((file) => file.endsWith('.md'))
          .map(
            (file): ProvidedItem<AnyTool> => ({
              item: noteTool(join(folder, file)),
              level: 'project',
              path: join(folder, file),
            }),
          );
        return { items, watch: [folder] };
      },
    }),
});
