// Binds the conversations of an attached agent to the hook token that they began with, by a label of their session: a token
// that another agent or machine has neither reads nor ends them while the first one is valid.
import type { SessionView } from '../../core/views.ts';

/** The hook token that calls. An operator's call has none, and concerns every conversation. */
export interface HookCaller {
  tokenId: string;
  /** Whether another hook token is still valid; a later one takes up the conversations of one that is not. */
  isValid(tokenId: string): Promise<boolean>;
}

const PREFIX = 'hook:';

export const callerLabel = ({ tokenId }: Pick<HookCaller, 'tokenId'>): string => `${PREFIX}${tokenId}`;

/** A session without such a label is of an earlier version, or was opened by an operator. */
export async function mayServe({ labels }: SessionView, caller: HookCaller): Promise<boolean> {
  const owner = labels.find((label) => label.startsWith(PREFIX))?.slice(PREFIX.length);
  return owner === undefined || owner === caller.tokenId || !(await caller.isValid(owner));
}
