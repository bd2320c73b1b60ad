// Light or dark: as the system says, until the person says otherwise.
const THEME = 'holdpoint-theme';

export type Theme = 'light' | 'dark';

export function themeOf(): Theme {
  const chosen = localStorage.getItem(THEME);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(THEME, theme);
  document.documentElement.dataset.theme = theme;
}

/** What was chosen before, before the first drawing. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(THEME);
  if (chosen !== null) document.documentElement.dataset.theme = chosen;
}
