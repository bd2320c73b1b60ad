// Turns an error between the page and its server into a sentence for the person. Pure.
import { HoldpointProblem, HoldpointUnreachable } from '../../../src/client/http.ts';

const SIGNED_OUT =
  'This browser is not signed in any more, so nothing was done. Run `holdpoint sign-in` on the machine of the server, open the link in this browser, and try again here: what you typed stays.';

/** A stream that was refused has the refusal as its cause. */
export const isSignedOut = (error: unknown): boolean => {
  const problem = error instanceof HoldpointProblem ? error : (Object(error) as Error).cause;
  return problem instanceof HoldpointProblem && (problem.status === 401 || problem.code === 'csrf_token_invalid');
};

export function failureText(error: unknown): string {
  if (error instanceof HoldpointUnreachable)
    return 'The server cannot be reached. What you typed stays here; try again when it is back: nothing is done twice.';
  if (isSignedOut(error)) return SIGNED_OUT;
  return error instanceof Error ? error.message : String(error);
}
