/** Sections of a plugin, behind the others and before what the person said when the session began. */
export function withSections<T extends { readonly id: string }>(
  sections: readonly T[],
  more: readonly T[],
): readonly T[] {
  const at = sections.findIndex(({ id }) => id.startsWith('append.'));
  return at === -1 ? [...sections, ...more] : [...sections.slice(0, at), ...more, ...sections.slice(at)];
}
