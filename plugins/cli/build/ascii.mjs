/**
 * Writes what is not ASCII as escapes. One such letter makes V8 hold a whole file with two bytes a letter, and decode it
 * first: every start would pay. Comments are gone by then; what remains stands in strings, templates and expressions.
 */
export function ascii() {
  return {
    name: 'ascii',
    // Last of all: whoever prints code anew takes the escapes away.
    generateBundle: (_, bundle) => {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escaped(file.code);
    },
  };
}

export function escaped(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
