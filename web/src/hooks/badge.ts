// Shows the number of pending asks outside the page: in its title, on the tab's icon, on the installed app.

/** `path`: of the page that is shown, which the title names. */
export function showBadge(count: number, path: string): void {
  const [, page = ''] = path.split('/');
  const name = page === '' || page === 'asks' ? '' : `${page.charAt(0).toUpperCase()}${page.slice(1)} · `;
  document.title = `${count === 0 ? '' : `(${count}) `}${name}Holdpoint`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = count === 0 ? '/favicon.svg' : `data:image/svg+xml,${encodeURIComponent(iconWith(count))}`;
  // Not every browser has app badges, and a refusal is not worth an error.
  if (count === 0) navigator.clearAppBadge?.().catch(() => {});
  else navigator.setAppBadge?.(count).catch(() => {});
}

const iconWith = (count: number): string => {
  const text = count > 99 ? '99+' : String(count);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#4338ca"/>',
    '<rect x="13" y="11" width="9" height="32" rx="3" fill="#fff"/><rect x="29" y="11" width="9" height="32" rx="3" fill="#fff"/>',
    `<rect x="20" y="28" width="44" height="36" rx="16" fill="#dc2626"/><text x="42" y="55" font-family="sans-serif"`,
    ` font-size="${text.length > 2 ? 22 : 28}" font-weight="700" fill="#fff" text-anchor="middle">${text}</text></svg>`,
  ].join('');
};
