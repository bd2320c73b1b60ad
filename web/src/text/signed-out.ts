// Recognises the refusal of a browser that is not signed in any more. Pure.
import { HoldpointProblem } from '../../../src/client/http.ts';

/** A stream that was refused has the refusal as its cause. */
export const isSignedOut = (error: unknown): boolean => {
  const problem = error instanceof HoldpointProblem ? error : (Object(error) as Error).cause;
  return problem instanceof HoldpointProblem && (problem.status === 401 || problem.code === 'csrf_token_invalid');
};
