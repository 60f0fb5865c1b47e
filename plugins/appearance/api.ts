import type { AppearanceSettings, Look, Sign, Tone } from './contract.ts';

/** How things look when nobody says. */
export const usualAppearance: AppearanceSettings = { theme: 'auto', symbolPreset: 'unicode', colorBlindMode: false };

type Codes = readonly [on: string, off: string];
const strong: Codes = ['1', '22'];
const faint: Codes = ['2', '22'];

/** As codes of the terminal (SGR): faint letters vanish on white, and the darker colours on black. */
const themes: Readonly<Record<AppearanceSettings['theme'], Readonly<Record<Tone, Codes>>>> = {
  auto: { muted: faint, bad: ['31', '39'], good: ['32', '39'], strong },
  dark: { muted: faint, bad: ['91', '39'], good: ['92', '39'], strong },
  light: { muted: ['90', '39'], bad: ['31', '39'], good: ['32', '39'], strong },
  plain: { muted: ['', ''], bad: ['', ''], good: ['', ''], strong: ['', ''] },
};

/** Yellow and blue differ for every eye. On white a yellow letter cannot be read, but magenta can. */
const forEveryEye: Readonly<Record<AppearanceSettings['theme'], Partial<Record<Tone, Codes>>>> = {
  auto: { bad: ['33', '39'], good: ['34', '39'] },
  dark: { bad: ['93', '39'], good: ['94', '39'] },
  light: { bad: ['35', '39'], good: ['34', '39'] },
  plain: {},
};

const signs: Readonly<Record<AppearanceSettings['symbolPreset'], Readonly<Record<Sign, string>>>> = {
  unicode: { done: '✓', failed: '✗', warning: '!', reloaded: '↻' },
  ascii: { done: '+', failed: 'x', warning: '!', reloaded: '~' },
  // Of the font Nerd Fonts: check, times, warning, refresh.
  nerd: { done: '\uf00c', failed: '\uf00d', warning: '\uf071', reloaded: '\uf021' },
};

/** What settings come to. */
export function lookOf(settings: AppearanceSettings): Look {
  const { theme, symbolPreset, colorBlindMode } = settings;
  const tones = { ...themes[theme], ...(colorBlindMode ? forEveryEye[theme] : {}) };
  return {
    ...settings,
    paint: (tone, text) => {
      const [on, off] = tones[tone];
      return text === '' || on === '' ? text : `\u001b[${on}m${text}\u001b[${off}m`;
    },
    sign: (sign) => signs[symbolPreset][sign],
    line: (text) => (symbolPreset === 'ascii' ? text.replaceAll('…', '...') : text),
  };
}
