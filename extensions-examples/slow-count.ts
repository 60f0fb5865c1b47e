// A tool that takes its time: it shows how far it is, ends when it is given up, and keeps what is too long in a file.

import { setTimeout as wait } from 'node:timers/promises';
import { saveArtifact, toolResultBuilder, tools, truncateTail } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'slow-count',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'slow_count',
      description: 'Counts slowly.',
      parameters: z.object({ to: z.int().min(1).max(10_000), pauseMs: z.int().min(0).default(10) }),
      effects: () => [],
      execute: async (_id, { to, pauseMs }, signal, onUpdate, { artifacts }) => {
        const numbers: string[] = [];
        for (let number = 1; number <= to; number += 1) {
          // Throws when the call is given up: that ends it, and the model is told.
          await wait(pauseMs, undefined, { signal });
          numbers.push(String(number));
          if (number % 10 === 0) onUpdate({ content: [{ type: 'text', text: `${number} of ${to}` }] });
        }
        const text = numbers.join('\n');
        const cut = truncateTail(text, { lines: 5, bytes: 1_000 });
        if (!cut.truncated) return toolResultBuilder().text(text).done();
        const { id: artifactId } = saveArtifact(await artifacts(), 'count.txt', text);
        return toolResultBuilder({ counted: to }).text(cut.text).truncation(cut, { artifactId }).done();
      },
    }),
});
