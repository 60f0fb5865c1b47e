/** Text of others as it really is: what a terminal would obey or hide is spelled out. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) =>
    char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
