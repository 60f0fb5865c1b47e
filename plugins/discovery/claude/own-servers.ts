import { type At, isFields, type McpServer } from 'kern/contracts';
import { messageOf } from 'kern/plugin';

/** Claude Code keeps much else in this file, so that it grows beyond what anybody writes by hand. */
const largest = 32 * 1024 * 1024;

/** The servers that a person has for this project, then those for all projects. */
export async function ownServers(at: At): Promise<readonly McpServer[]> {
  const { path, files, make, where } = at;
  const text = await files.text(path, { limit: largest });
  if (text === undefined || text.trim() === '') return [];
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = messageOf(error).replace(/, ?(?:\.\.\.)?".*$/s, '');
    if (files.broken(path, why)) return ownServers(at);
    files.warn(path, why);
    return [];
  }
  if (!isFields(data)) return [];
  const projects = isFields(data.projects) ? data.projects : {};
  const folders = where.cwd === where.root ? [where.cwd] : [where.cwd, where.root];
  const ofProject = folders.flatMap((folder) => {
    const project = Object.hasOwn(projects, folder) ? projects[folder] : undefined;
    return isFields(project) ? make.mcpServers(project.mcpServers, path) : [];
  });
  return [...ofProject, ...make.mcpServers(data.mcpServers, path)];
}
