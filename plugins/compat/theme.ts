const same = (text: string): string => String(text);

/** The colours of a place that has none: every text stays as it is. */
export const plainTheme = {
  name: 'plain',
  fg: (_color: string, text: string): string => same(text),
  bg: (_color: string, text: string): string => same(text),
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  inverse: same,
  strikethrough: same,
  getFgAnsi: (): string => '',
  getBgAnsi: (): string => '',
  getColorMode: (): string => 'none',
  getThinkingBorderColor: () => same,
  getBashModeBorderColor: () => same,
} as const;
