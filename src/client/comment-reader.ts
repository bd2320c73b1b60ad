// Passes the comments that people write on a pending ask to the agent that waits for it, in order and each once, and posts
// what the agent replies. What comes while it replies is passed on together. A reply is a comment too: nothing here ends
// the ask or reads an answer.
import { LONGEST_COMMENT, repliedComments } from '../core/activity.ts';
import { storable, truncate } from '../core/text-limit.ts';
import type { CommentView } from '../core/views.ts';
import type { Calls } from './client.ts';

/**
 * What the agent says to a comment; undefined where it says nothing. If it throws, people are told that there is no reply,
 * and why. `signal` is aborted when the ask has ended.
 */
export type CommentHandler = (text: string, signal: AbortSignal) => Promise<string | undefined> | string | undefined;

export interface CommentReader {
  /** How many comments of people were read: a wait ends when there are more. */
  read(): number;
  take(comments: readonly CommentView[] | undefined): void;
  /** The ask has ended, or is waited for no longer: nothing more is passed on or replied. */
  close(): void;
}

export function createCommentReader(calls: Pick<Calls, 'asks'>, askId: string, reply: CommentHandler): CommentReader {
  const known = new Set<string>();
  const over = new AbortController();
  let unread: string[] = [];
  let isFirst = true;
  let isReplying = false;

  /** A reply that comes after the end of the ask is lost; the ask goes on as it is. */
  async function replyToAll(): Promise<void> {
    if (isReplying) return;
    isReplying = true;
    while (unread.length > 0 && !over.signal.aborted) {
      const text = unread.join('\n\n');
      unread = [];
      const commentsRead = known.size;
      const said = (await replyTo(text))?.trim();
      if (said && !over.signal.aborted)
        await calls.asks
          .comment(askId, truncate(storable(said), LONGEST_COMMENT), { role: 'agent', commentsRead })
          .catch(() => undefined);
    }
    isReplying = false;
  }

  async function replyTo(text: string): Promise<string | undefined> {
    try {
      const said: unknown = (await reply(text, over.signal)) ?? undefined;
      if (said === undefined || typeof said === 'string') return said;
      return `(There is no reply: the program returned a value of type ${typeof said} instead of a text)`;
    } catch (error) {
      return `(There is no reply: ${reasonOf(error)})`;
    }
  }

  return {
    read: () => known.size,
    take(comments = []) {
      // What was replied to before this process began is not passed on again.
      const replied = isFirst ? repliedComments({ comments }) : 0;
      isFirst = false;
      for (const { role, comment_id, text } of comments) {
        if (role !== 'person' || known.has(comment_id)) continue;
        known.add(comment_id);
        if (known.size > replied) unread.push(text);
      }
      void replyToAll();
    },
    close: () => over.abort(),
  };
}

/** Whatever was thrown: the program goes on. */
function reasonOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the program threw a value without a text';
  }
}
