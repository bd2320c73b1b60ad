// The server as the page sees it: the same typed client as everyone's, signed in by cookie. Adds the header that proves
// a request comes from this page.
import { createClient } from '../../src/client/client.ts';

export const api = createClient({ url: location.origin, surface: 'web', headers: csrf });

/** Nobody ever signed in here, or has signed out: there is no need to ask the server. */
export const isStranger = (): boolean => csrf()['holdpoint-csrf'] === undefined;

function csrf(): Record<string, string> {
  const value = /(?:^|; )holdpoint_csrf=([^;]*)/.exec(document.cookie)?.[1];
  return value === undefined ? {} : { 'holdpoint-csrf': decodeURIComponent(value) };
}
