// Turns an error between the page and its server into a sentence for the person. Pure.
import { HoldpointUnreachable } from '../../../src/client/http.ts';
import { isSignedOut } from './signed-out.ts';

const SIGNED_OUT =
  'This browser is no longer signed in, so nothing was sent. On the server, run `holdpoint sign-in` and open the link in this browser, then try again here. Your text is kept.';

export function failureText(error: unknown): string {
  if (error instanceof HoldpointUnreachable)
    return 'Can’t reach the server. Your text is kept here. Try again when it is back; nothing is applied twice.';
  if (isSignedOut(error)) return SIGNED_OUT;
  return error instanceof Error ? error.message : String(error);
}
