import { defineService } from 'kern/plugin';

/** What a person set. */
export interface AppearanceSettings {
  /** `auto`: as the terminal has it. `plain`: no colours. */
  readonly theme: 'auto' | 'dark' | 'light' | 'plain';
  readonly symbolPreset: 'unicode' | 'ascii' | 'nerd';
  /** Blue and yellow stand where green and red would. */
  readonly colorBlindMode: boolean;
}

/** What a colour is for. */
export type Tone = 'muted' | 'bad' | 'good' | 'strong';
/** What a sign says. */
export type Sign = 'done' | 'failed' | 'warning' | 'reloaded';

/** How things look in a terminal, at this moment. */
export interface Look extends AppearanceSettings {
  /** A text in a tone, for a terminal that shows colours. */
  paint(tone: Tone, text: string): string;
  sign(sign: Sign): string;
  /** A line of ours as the preset can write it: without signs that it lacks. */
  line(text: string): string;
}

/** How things look. Every part is asked for when it is drawn, so that a change shows in the next line. */
export interface Appearance {
  readonly look: Look;
  /** A part of the settings has another value. */
  change(part: Partial<AppearanceSettings>): void;
}

/** How things look. */
export const appearance = defineService<Appearance>({ id: 'appearance', level: 'user' });
