import { readFileSync, statSync } from 'node:fs';
import { messageOf } from 'kern/plugin';
import type { ModelsFile } from './described.ts';

const nothing: ModelsFile = { providers: [], overrides: [], problems: [] };
const sizeLimit = 1024 * 1024;

/** Reads models.yml. No file is no problem; no parser is loaded then. */
export async function readModelsFile(file: string): Promise<ModelsFile> {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return nothing;
    if (!found.isFile()) return { ...nothing, problems: [{ text: `${file} is no file` }] };
    if (found.size > sizeLimit)
      return { ...nothing, problems: [{ text: `${file} is larger than ${sizeLimit} bytes` }] };
    const text = readFileSync(file, 'utf8');
    const { checkModels } = await import('./check.ts');
    return checkModels(text, file);
  } catch (error) {
    return { ...nothing, problems: [{ text: `${file} cannot be read: ${messageOf(error)}` }] };
  }
}
