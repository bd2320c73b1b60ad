// Stores whether the page is light or dark, or follows the system.
const STORAGE_KEY = 'holdpoint-theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const chosenTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'system';

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  show(theme);
}

/** Call it before the first render. */
export const restoreTheme = (): void => show(chosenTheme());

function show(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}
