// Provides the calls about a pending ask that decide nothing: comments, "I'm on it", snooze.
import type { AskView, CommentView } from '../core/views.ts';
import type { Options } from './client.ts';

type Post = <T>(path: string, body: object, options?: Options) => Promise<T>;

export interface CommentOptions extends Options {
  role?: 'agent' | undefined;
  /** Of a reply: how many comments of people it was written after. */
  commentsRead?: number | undefined;
}

export const activityCalls = (put: Post, post: Post) => {
  const of = (id: string, verb: string) => `/v1/asks/${encodeURIComponent(id)}/${verb}`;
  return {
    /** The ask stays open. With a token of the agent, or with `role`, it is the agent's reply; otherwise a person's. */
    comment: (id: string, text: string, { role, commentsRead, ...options }: CommentOptions = {}) =>
      post<CommentView>(of(id, 'comments'), { text, role, comments_read: commentsRead }, options),
    /** "I'm on it", and no longer. */
    take: (id: string) => put<AskView>(of(id, 'take'), {}),
    release: (id: string) => put<AskView>(of(id, 'release'), {}),
    /** Until an instant; null: it is back. */
    snooze: (id: string, untilMs: number | null) => put<AskView>(of(id, 'snooze'), { until_ms: untilMs }),
  };
};
