// What went wrong between the page and its server, in a sentence for the person.
import { HoldpointProblem, HoldpointUnreachable } from '../../src/client/http.ts';
import { StreamRefused } from '../../src/client/stream.ts';

export const isSignedOut = (error: unknown): boolean => {
  const cause = error instanceof StreamRefused ? error.problem : error;
  return cause instanceof HoldpointProblem && cause.status === 401;
};

export function failureText(error: unknown): string {
  if (error instanceof HoldpointUnreachable)
    return 'The server cannot be reached. What you typed stays here; try again when it is back: nothing is done twice.';
  return error instanceof Error ? error.message : String(error);
}
