// Recognises a request that its worker asks again because a file that it was bound to has changed, by how its reason begins.

/** How a worker begins the reason of such a call. An agent that writes so marks only its own request. */
export const ASKED_AGAIN = 'Asked again: ';

export const isAskedAgain = ({ files, reason }: { files?: unknown; reason?: string | undefined }): boolean =>
  files !== undefined && reason?.startsWith(ASKED_AGAIN) === true;

/** What changed, in the words of the worker, and the reason of the agent, which follows it. */
export function askedAgainWhy(reason: string): { why: string; reason: string } {
  const end = reason.indexOf('\n\n');
  const why = reason.slice(ASKED_AGAIN.length, end < 0 ? undefined : end);
  return { why, reason: end < 0 ? '' : reason.slice(end + 2) };
}
