// What a person says to a session: ordinary words are a post, the answer to a form is carried on by the next run. Whether
// a form waits is looked at in the transaction that acts on it, so that of several messages at once one is accepted.
import type { QuestionResolution } from '../core/answer.ts';
import { decide, type EndedAsk, type QuestionAsk, winnerOf } from '../core/ask.ts';
import type { PostMessage } from '../core/bodies.ts';
import { fail, HoldpointError, type Refusal } from '../core/errors.ts';
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
import { runView } from './views.ts';

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
    const run = given ? await answerForm(ledger, given, actor) : await say(ledger, body.text ?? '', actor);
    if ('refused' in run) return run;
    await ledger.close();
    return made(await runView(tx, ledger.session, run));
  });
}

/** A post to the thread, by its rules: it may answer what is asked there. */
async function say(ledger: Ledger, text: string, actor: Actor): Promise<Run | Refused> {
  if (text.trim() === '') throw fail('invalid_request', 'body.text: must not be blank');
  const taken = await takePost(ledger, { content: [{ type: 'text', text }] }, actor);
  return 'refused' in taken ? taken : taken.run;
}

async function answerForm(ledger: Ledger, given: InteractiveFormAnswer, actor: Actor): Promise<Run | Refused> {
  const by = { ...actor, surface: actor.surface === 'api' ? ('form' as const) : actor.surface };
  const form = await pendingForm(ledger);
  const run = form && (await ledger.tx.run(form.runId));
  if (!form || !run) throw notPending(await endedForm(ledger, given));
  const refusal = checkFormAnswer(given, form.toolCallId);
  if (refusal) throw new HoldpointError(refusal);
  if (given.status === 'cancelled') {
    if (decide(form, 'cancel', ledger.now) === 'expire_first') return expireNow(ledger, run, form);
    return cancelAsk(ledger, run, form, { answeredBy: by.name, surface: by.surface }, given.message);
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

/** Says who was first, where the answer names a form of this session that has ended. */
const notPending = (ended: EndedForm | undefined): HoldpointError =>
  fail(
    'interactive_form_not_pending',
    ended
      ? `This form was already ${ended.status}; send what you have to say as {"text": …}.`
      : 'This session waits for no form; send what you have to say as {"text": …}.',
    ended && winnerOf(ended),
  );
