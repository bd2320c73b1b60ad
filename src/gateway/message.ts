// What a person says to a session: ordinary words start its next run, the answer to a form is carried on by it. Whether
// a form waits is looked at in the transaction that acts on it, so that of several messages at once one is accepted.
import { decide, type EndedAsk, winnerOf } from '../core/ask.ts';
import type { PostMessage } from '../core/bodies.ts';
import { fail, HoldpointError } from '../core/errors.ts';
import { checkFormAnswer, type InteractiveFormAnswer, readAnswers } from '../core/form-answer.ts';
import { askIdOf } from '../core/id.ts';
import type { Ports } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { RunView } from '../core/views.ts';
import { answer } from './answer.ts';
import { cancelAsk } from './cancel.ts';
import { expireNow } from './expire.ts';
import { pendingForm } from './form-guard.ts';
import { checkTakesInput } from './input.ts';
import { type Ledger, openForWork } from './ledger.ts';
import { type Key, made, mutate, type Refused, type Reply } from './mutate.ts';
import { postInput } from './post.ts';
import { runView } from './views.ts';

export interface MessageCommand {
  sessionId: string;
  body: PostMessage;
  actor: Actor;
  key?: Key | undefined;
}

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

async function say(ledger: Ledger, text: string, actor: Actor): Promise<Run> {
  if (text.trim() === '') throw fail('invalid_request', 'body.text: must not be blank');
  await checkTakesInput(ledger);
  const { run_id } = await postInput(ledger, text, { content: [{ type: 'text', text }] }, actor);
  const run = await ledger.tx.run(run_id ?? '');
  if (!run) throw fail('internal', 'the run of a message is gone');
  return run;
}

async function answerForm(ledger: Ledger, given: InteractiveFormAnswer, actor: Actor): Promise<Run | Refused> {
  const form = await pendingForm(ledger);
  const run = form && (await ledger.tx.run(form.runId));
  if (!form || !run) throw await notPending(ledger, given);
  const refusal = checkFormAnswer(given, form.toolCallId);
  if (refusal) throw new HoldpointError(refusal);
  const by = { ...actor, surface: actor.surface === 'api' ? ('form' as const) : actor.surface };
  if (given.status === 'cancelled') {
    if (decide(form, 'cancel', ledger.now) === 'expire_first') return expireNow(ledger, run, form);
    return cancelAsk(ledger, run, form, { answeredBy: by.name, surface: by.surface }, given.message);
  }
  const answers = readAnswers(form.content.questions, given.answers ?? {});
  if ('code' in answers) throw new HoldpointError(answers);
  const resolution = { request_id: form.id, answers, justification: given.message };
  return answer(ledger, run, { resolution, actor: by });
}

/** Says who was first, where the answer names a form of this session that has ended. */
async function notPending({ session, tx, ports }: Ledger, given: InteractiveFormAnswer): Promise<HoldpointError> {
  const ended = await endedForm();
  const detail = ended
    ? `This form was already ${ended.status}; send what you have to say as {"text": …}.`
    : 'This session waits for no form; send what you have to say as {"text": …}.';
  return fail('interactive_form_not_pending', detail, ended && winnerOf(ended));

  async function endedForm(): Promise<EndedAsk | undefined> {
    const active = session.activeRunId === undefined ? undefined : await tx.run(session.activeRunId);
    if (active?.resumesRunId === undefined || typeof given.tool_use_id !== 'string') return undefined;
    const ask = await tx.ask(askIdOf(active.resumesRunId, given.tool_use_id, ports.hash));
    return ask && ask.status !== 'pending' && ask.mode === 'form' ? ask : undefined;
  }
}
