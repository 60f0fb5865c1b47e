// The provider packages make a Headers for every request. Node's loads undici, which costs more than all of kern's start
// (plugins/models/bridge/http.ts has the numbers), so in the build they get a class of ours.
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../models/bridge/headers.ts', import.meta.url));

/** A plugin for the bundler. */
export function lightHeaders() {
  return {
    name: 'light-headers',
    transform: {
      filter: { id: /[\\/]@ai-sdk[\\/]provider-utils[\\/]/, code: /\bHeaders\b/ },
      handler: (code) => ({ code: `import { Headers } from ${JSON.stringify(file)};${code}`, map: null }),
    },
  };
}
