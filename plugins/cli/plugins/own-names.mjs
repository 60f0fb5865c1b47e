// Loaded into the process that runs an extension's tests: kern's names, and zod, lead to this kern from everywhere.
import { registerHooks } from 'node:module';

const own = /^(kern|zod)(\/|$)/;
const home = new URL('../../../package.json', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (!own.test(specifier) || context.parentURL?.includes('/node_modules/')) return next(specifier, context);
    return next(specifier, { ...context, parentURL: home });
  },
});
