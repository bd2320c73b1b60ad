// Accepts a person's message to a session: a text is a post, the answer to a form is carried by the next run. The pending
// form is read in the same transaction, so that one of several concurrent messages is accepted.
import type { QuestionResolution } from '../core/answer.ts';
import { authorOf, type EndedAsk, isOverdue, type QuestionAsk, winnerOf } from '../core/ask.ts';
import type { PostMessage } from '../core/bodies.ts';
import { enforce, fail, HoldpointError, type Refusal } from '../core/errors.ts';
import { checkFormAnswer, type InteractiveFormAnswer, readAnswers } from '../core/form-answer.ts';
import type { Ports } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { RunView } from '../core/views.ts';
import { answer } from './answer.ts';
import { cancelAsk } from './cancel.ts';
import { expireNow } from './expire.ts';
import { pendingForm } from './form-guard.ts';
import { type Ledger, openForWork } from './ledger.ts';
import { type Key, made, mutate, type Refused, type Reply } from './mutate.ts';
import { takePost } from './post.ts';
import { runReply } from './views.ts';

export interface MessageCommand {
  sessionId: string;
  body: PostMessage;
  actor: Actor;
  key?: Key | undefined;
}

type EndedForm = Extract<EndedAsk, { kind: 'question' }>;

/** Returns the run that works on the message. */
export function postMessage(ports: Ports, command: MessageCommand): Promise<Reply<RunView>> {
  const { sessionId, body, actor } = command;
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openForWork(ports, tx, sessionId);
    const given = body.interactive_form_answer;
    if (given) return runReply(ledger, await answerForm(ledger, given, actor), made);
    const { run, winner } = await say(ledger, body.text ?? '', actor);
    return runReply(ledger, run, (view) => made(winner ? { ...view, winner } : view));
  });
}

/** A post to the thread, which may answer the thread's prompt. */
async function say(
  ledger: Ledger,
  text: string,
  actor: Actor,
): Promise<{ run: Run | Refused; winner?: RunView['winner'] }> {
  if (text.trim() === '') throw fail('invalid_request', 'body.text: must not be blank');
  const taken = await takePost(ledger, { content: [{ type: 'text', text }] }, actor);
  return 'refused' in taken
    ? { run: taken }
    : { run: taken.run, ...(taken.item.winner && { winner: taken.item.winner }) };
}

async function answerForm(ledger: Ledger, given: InteractiveFormAnswer, actor: Actor): Promise<Run | Refused> {
  const by = { ...actor, surface: actor.surface === 'api' ? ('form' as const) : actor.surface };
  const form = await pendingForm(ledger);
  const run = form && (await ledger.tx.get('run', form.runId));
  if (!form || !run) throw notPending(await endedForm(ledger, given));
  enforce(checkFormAnswer(given, form.toolCallId, form.content.form));
  if (given.status === 'cancelled') {
    if (isOverdue(form, ledger.now)) return expireNow(ledger, run, form);
    return cancelAsk(ledger, run, form, authorOf(by), given.message);
  }
  const resolution = resolutionOf(form, given);
  if ('code' in resolution) throw new HoldpointError(resolution);
  return answer(ledger, run, { resolution, actor: by });
}

function resolutionOf(form: QuestionAsk, given: InteractiveFormAnswer): QuestionResolution | Refusal {
  const answers = readAnswers(form.content.questions, given.answers ?? {});
  return 'code' in answers ? answers : { request_id: form.id, answers, justification: given.message };
}

async function endedForm({ session, tx }: Ledger, given: InteractiveFormAnswer): Promise<EndedForm | undefined> {
  if (typeof given.tool_use_id !== 'string') return undefined;
  const ask = await tx.formOfCall(session.id, given.tool_use_id);
  return ask?.kind === 'question' && ask.status !== 'pending' ? ask : undefined;
}

/** Names the winner, where the answer is for a form of this session that has ended. */
const notPending = (ended: EndedForm | undefined): HoldpointError =>
  fail(
    'interactive_form_not_pending',
    ended
      ? `This form was already ${ended.status}; send what you have to say as {"text": …}.`
      : 'This session waits for no form; send what you have to say as {"text": …}.',
    ended && winnerOf(ended),
  );
