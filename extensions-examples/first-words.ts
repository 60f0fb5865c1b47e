// Notes how long each model takes to its first word, and marks its requests for a gateway in between.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { modelHeaders, modelObservers } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'first-words',
  setup(ctx) {
    ctx.tap(modelHeaders, ({ model, headers }) => ({ model, headers: { ...headers, 'x-team': 'docs' } }));
    ctx.contribute(modelObservers, {
      id: 'first-words',
      begin({ model, purpose }) {
        if (purpose !== 'turn') return undefined;
        const asked = performance.now();
        let isFirst = true;
        return {
          event({ type }) {
            if (!isFirst || type !== 'text_delta') return;
            isFirst = false;
            const line = `${model.id} ${Math.round(performance.now() - asked)} ms\n`;
            appendFileSync(path.join(ctx.where.cwd, 'first-words.log'), line);
          },
        };
      },
    });
  },
});
