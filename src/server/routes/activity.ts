// Takes what people and agents do about a pending ask besides deciding it: comments, "I'm on it", snooze.
import { Comment, Empty, Snooze } from '../../core/bodies.ts';
import { AskView, CommentView } from '../../core/views.ts';
import { AGENT_SIDE, ANSWERERS } from '../auth.ts';
import type { AddRoutes } from './route.ts';

/** The ask has ended. */
const OVER = ['ask_state_conflict', 'question_expired'] as const;

export const addActivity: AddRoutes = ({ route, gateway }) => {
  route('asks', 'POST /v1/asks/:ask_id/comments', {
    name: 'commentOnAsk',
    summary: 'Comment on a pending ask without deciding it',
    description:
      'The ask stays open. A person comments; the agent that asked, or its worker, replies. `takes_comments` of the ask says whether its agent reads comments while it waits.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Comment,
    examples: { comment: { text: 'Which branch is this?' } },
    refuses: OVER,
    reply: CommentView,
    creates: true,
    change: ({ params, body: { text, role, comments_read }, sender }) =>
      gateway.comment({ askId: params.ask_id, text, role, commentsRead: comments_read, ...sender }),
  });

  /** Acts of people that leave the ask pending. */
  const act = { scopes: ANSWERERS, refuses: OVER, reply: AskView } as const;

  route('asks', 'POST /v1/asks/:ask_id/take', {
    ...act,
    name: 'takeAsk',
    summary: 'Say "I\'m on it"',
    description: 'Everyone is shown it; anyone may still answer.',
    body: Empty,
    change: ({ params, actor, key }) => gateway.takeAsk({ askId: params.ask_id, actor, key }),
  });

  route('asks', 'POST /v1/asks/:ask_id/release', {
    ...act,
    name: 'releaseAsk',
    summary: 'Nobody is on it any more',
    description: 'A repeat changes nothing.',
    body: Empty,
    change: ({ params, actor, key }) => gateway.releaseAsk({ askId: params.ask_id, actor, key }),
  });

  route('asks', 'POST /v1/asks/:ask_id/snooze', {
    ...act,
    name: 'snoozeAsk',
    summary: 'Put an ask out of the way until later, for everyone',
    description: 'It stays pending and answerable, and its deadline passes all the same.',
    body: Snooze,
    examples: { end: { until_ms: null } },
    change: ({ params, body: { until_ms }, actor, key }) =>
      gateway.snoozeAsk({ askId: params.ask_id, until: until_ms, actor, key }),
  });
};
