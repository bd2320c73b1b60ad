// Adds a comment to a pending ask: a person's remark or question, or the agent's reply to it. A verb of its own: it never
// passes through answers, and the ask stays as open as before.
import { isBlank, LONGEST_COMMENT, MOST_COMMENT_TEXT, MOST_COMMENTS } from '../core/activity.ts';
import type { Ask, PendingAsk } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { agentNameOf } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { CommentView } from '../core/views.ts';
import { act, openPending } from './act.ts';
import type { Ledger } from './ledger.ts';
import { type Key, made, mutate, type Reply } from './mutate.ts';
import { checkQuota } from './quota.ts';
import { checkAskLease } from './worker-rights.ts';

export interface CommentCommand {
  askId: string;
  text: string;
  /** Of an operator's own program; every other side that may ask is the agent anyway. */
  role?: 'agent' | undefined;
  /** Of a reply: how many comments of people it was written after. */
  commentsRead?: number | undefined;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function comment(ports: Ports, command: CommentCommand): Promise<Reply<CommentView>> {
  return mutate(ports, command.key, async (tx) => {
    const isOperator = command.actor.scope === 'operator';
    const role = isOperator ? (command.role ?? 'person') : 'agent';
    const opened = await openPending(ports, tx, command.askId, async (ledger, ask) => {
      if (role === 'person') return;
      if (isOperator) refuseInItsName(ask, command);
      await checkAskLease(ledger, ask, command);
      checkQuota(ledger);
    });
    if ('refused' in opened) return opened;
    const { ledger, ask } = opened;
    const added = await addComment(ledger, ask, { ...command, role });
    await ledger.close();
    return made(added);
  });
}

/** People read a reply as the agent's own: no operator writes one where an agent or a worker asked. */
function refuseInItsName({ raisedBy }: Ask, { leaseEpoch }: CommentCommand): void {
  if (raisedBy === undefined || (raisedBy === 'worker' && leaseEpoch !== undefined)) return;
  throw fail(
    'scope_forbidden',
    `The ${raisedBy} that raised this ask replies with its own token. Leave out role to comment as a person.`,
  );
}

/** The caller has seen that the ask is pending, and closes the ledger. */
export async function addComment(
  ledger: Ledger,
  ask: PendingAsk,
  {
    text: given,
    role,
    commentsRead,
    actor,
  }: Pick<CommentCommand, 'text' | 'actor' | 'commentsRead'> & { role: 'person' | 'agent' },
): Promise<CommentView> {
  const text = given.trim();
  if (isBlank(text) || text.length > LONGEST_COMMENT)
    throw fail('invalid_request', `body.text: a comment has 1 to ${LONGEST_COMMENT} characters besides white space.`);
  // Each side has its own limit: an agent must not be able to silence people.
  const before = (ask.activity.comments ?? []).filter((comment) => comment.role === role);
  const whose = role === 'agent' ? 'replies of its agent' : 'comments of people';
  if (before.length >= MOST_COMMENTS)
    throw fail('ask_state_conflict', `This ask has ${MOST_COMMENTS} ${whose}, the most it can have. Decide it.`);
  if (before.reduce((sum, comment) => sum + comment.text.length, text.length) > MOST_COMMENT_TEXT)
    throw fail('ask_state_conflict', `The ${whose} on an ask have at most ${MOST_COMMENT_TEXT} characters. Decide it.`);
  const comment_id = ledger.ports.ids.next('cmt');
  const reply = role === 'agent' && {
    by: agentNameOf(ledger.session),
    ...(commentsRead !== undefined && { comments_read: commentsRead }),
  };
  const { comments = [] } = await act(ledger, ask, 'ask.commented', actor, { comment_id, role, text, ...reply });
  return comments.at(-1) as CommentView;
}
