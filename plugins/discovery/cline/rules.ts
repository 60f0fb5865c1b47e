import { type At, present, type Rule } from 'kern/contracts';

/** `.clinerules` is one text, or a folder of them. What lies in folders below it is no rule: workflows, hooks, skills. */
export async function clineRules({ path, isFolder, make, options }: At): Promise<readonly Rule[]> {
  if (!isFolder) {
    const rule = await make.rule(path, present({ name: options.name }));
    return rule === undefined ? [] : [rule];
  }
  const files = (await make.below(path)).filter(({ name, kind }) => kind === 'file' && /.\.(?:md|txt)$/.test(name));
  const found = await Promise.all(files.map((file) => make.rule(file.path, { name: file.name.replace(/\.\w+$/, '') })));
  return found.filter((rule) => rule !== undefined);
}
