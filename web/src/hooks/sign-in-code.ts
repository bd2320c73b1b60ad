// Takes the one-time code of a sign-in link out of the address, so that it is in no history and in no referrer.

/** Call it once, before the first render. */
export function takeCode(): string | undefined {
  if (location.pathname !== '/sign-in' || location.hash.length < 2) return undefined;
  const code = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', '/sign-in');
  return code;
}
