// Says who reads the comments on a request while it waits, for every surface. Pure.
import type { AskView } from '../core/views.ts';

/** `agent`: its name, where it is known. */
export const commentReaders = ({ takes_comments }: Pick<AskView, 'takes_comments'>, agent = 'The agent'): string =>
  takes_comments
    ? `${agent} reads comments while it waits, and may reply`
    : `${agent} is not told of comments on this request, but could read them`;
