// Adds a comment to a pending ask: a person's remark or question, or the agent's reply to it. A verb of its own: it never
// passes through answers, and the ask stays as open as before.
import { LONGEST_COMMENT, MOST_COMMENTS } from '../core/activity.ts';
import { fail } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { CommentView } from '../core/views.ts';
import { act, openPending } from './act.ts';
import { type Key, made, mutate, type Reply } from './mutate.ts';
import { checkQuota } from './quota.ts';
import { checkAskLease } from './worker-rights.ts';

export interface CommentCommand {
  askId: string;
  text: string;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function comment(ports: Ports, command: CommentCommand): Promise<Reply<CommentView>> {
  return mutate(ports, command.key, async (tx) => {
    const role = command.actor.scope === 'operator' ? 'person' : 'agent';
    const opened = await openPending(ports, tx, command.askId, async (ledger, ask) => {
      if (role === 'person') return;
      await checkAskLease(ledger, ask, command);
      checkQuota(ledger);
    });
    if ('refused' in opened) return opened;
    const { ledger, ask } = opened;
    const text = command.text.trim();
    if (text === '' || text.length > LONGEST_COMMENT)
      throw fail('invalid_request', `body.text: a comment has 1 to ${LONGEST_COMMENT} characters besides white space.`);
    if ((ask.activity.comments?.length ?? 0) >= MOST_COMMENTS)
      throw fail('ask_state_conflict', `This ask has ${MOST_COMMENTS} comments, the most it can have. Decide it.`);
    const comment_id = ports.ids.next('cmt');
    const by = role === 'agent' ? { by: ledger.session.agentId } : {};
    const { comments = [] } = await act(ledger, ask, 'ask.commented', command.actor, { comment_id, role, text, ...by });
    return made(comments.at(-1) as CommentView);
  });
}
