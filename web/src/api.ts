// Creates the typed client of the HTTP API, signed in by cookie. Adds the CSRF header, whose value only this origin can read
// from its cookie.
import { createClient } from '../../src/client/client.ts';

export const api = createClient({ url: location.origin, surface: 'web', headers: csrf });

/** There was no sign-in in this browser, or it was signed out: a request to check would be refused. */
export const hasNoSignIn = (): boolean => csrf()['holdpoint-csrf'] === undefined;

function csrf(): Record<string, string> {
  const value = /(?:^|; )holdpoint_csrf=([^;]*)/.exec(document.cookie)?.[1];
  return value === undefined ? {} : { 'holdpoint-csrf': decodeURIComponent(value) };
}
