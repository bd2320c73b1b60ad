// Stores whether the page is light or dark. Without a choice it follows the system.
const STORAGE_KEY = 'holdpoint-theme';

export type Theme = 'light' | 'dark';

export function currentTheme(): Theme {
  const chosen = localStorage.getItem(STORAGE_KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  document.documentElement.dataset.theme = theme;
}

/** Call it before the first render. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(STORAGE_KEY);
  if (chosen !== null) document.documentElement.dataset.theme = chosen;
}
