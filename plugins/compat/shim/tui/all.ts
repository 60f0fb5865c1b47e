export * from './components.ts';
export * from './fuzzy.ts';
export * from './keys.ts';
export * from './width.ts';

/** Where a cursor would stand. Nothing is drawn on a screen, so it is nowhere. */
export const CURSOR_MARKER = '';
export const renderFakeCursor = (text: string): string => text;
export const setCapabilities = (): void => {};
export const getCapabilities = () => ({ images: null, trueColor: false, hyperlinks: false });
