// Provides the calls about a pending ask that decide nothing: comments, "I'm on it", snooze.
import type { AskView, CommentView } from '../core/views.ts';
import type { Options } from './client.ts';

type Post = <T>(path: string, body: object, options?: Options) => Promise<T>;

export const activityCalls = (put: Post, post: Post) => {
  const of = (id: string, verb: string) => `/v1/asks/${encodeURIComponent(id)}/${verb}`;
  return {
    /** The ask stays open. Of a person; or the reply of the agent, with its token. */
    comment: (id: string, text: string, options?: Options) => post<CommentView>(of(id, 'comments'), { text }, options),
    /** "I'm on it", and no longer. */
    take: (id: string) => put<AskView>(of(id, 'take'), {}),
    release: (id: string) => put<AskView>(of(id, 'release'), {}),
    /** Until an instant; null: it is back. */
    snooze: (id: string, untilMs: number | null) => put<AskView>(of(id, 'snooze'), { until_ms: untilMs }),
  };
};
