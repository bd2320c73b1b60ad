// Passes the comments that people write on a pending ask to the agent that waits for it, in order and each once, and posts
// what the agent replies. A reply is a comment too: nothing here ends the ask or reads an answer.
import type { CommentView } from '../core/views.ts';
import type { Calls } from './client.ts';

/** What the agent says to a comment; undefined where it says nothing. */
export type CommentHandler = (text: string) => Promise<string | undefined>;

export interface CommentReader {
  /** How many comments of people were read: a wait ends when there are more. */
  read(): number;
  take(comments: readonly CommentView[] | undefined): void;
}

export function createCommentReader(calls: Pick<Calls, 'asks'>, askId: string, reply: CommentHandler): CommentReader {
  const known = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  let isFirst = true;

  async function answer(text: string): Promise<void> {
    const said = await reply(text);
    if (said !== undefined && said.trim() !== '') await calls.asks.comment(askId, said);
  }

  return {
    read: () => known.size,
    take(comments = []) {
      // What was replied to before this process began is not passed on again.
      const replied = isFirst ? comments.findLastIndex(({ role }) => role === 'agent') : -1;
      isFirst = false;
      for (const [at, { role, comment_id, text }] of comments.entries()) {
        if (role !== 'person' || known.has(comment_id)) continue;
        known.add(comment_id);
        // A reply that fails, or that comes after the end of the ask, is lost; the ask goes on as it is.
        if (at > replied) turn = turn.then(() => answer(text)).catch(() => {});
      }
    },
  };
}
