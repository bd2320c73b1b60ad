// Accepts a person's post to a thread or text to a session. It answers the thread's prompt, through the same functions as
// every surface; otherwise it is input for the next run. One transaction: a refused request posts nothing.
import { isBlank } from '../core/activity.ts';
import { DEFAULT_DENIAL, LONGEST_NOTE, LONGEST_TEXT } from '../core/answer.ts';
import { type Answer, type Ask, type EndedAsk, isOverdue, winnerOf } from '../core/ask.ts';
import type { PostItem } from '../core/bodies.ts';
import { fail, HoldpointError, type Refusal } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import { givenAnswers, givenApproval } from '../core/given-reply.ts';
import type { Ports } from '../core/ports.ts';
import { approvalQuestion } from '../core/prompt.ts';
import { readAnswers, readApproval } from '../core/reply.ts';
import type { Run } from '../core/run.ts';
import { isAttached } from '../core/session.ts';
import { truncate } from '../core/text-limit.ts';
import { itemIdOf } from '../core/thread.ts';
import type { Actor } from '../core/token.ts';
import type { ItemView } from '../core/views.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { addComment } from './comment.ts';
import { expireNow } from './expire.ts';
import { pendingForm } from './form-guard.ts';
import { checkTakesInput, queuePost, refuseAttached } from './input.ts';
import { type Ledger, openForWork } from './ledger.ts';
import { type Key, made, mutate, type Refused, type Reply } from './mutate.ts';
import { runOfAsk, sessionOfThread } from './records.ts';
import { promptOf } from './thread-prompt.ts';
import { itemView } from './views.ts';

export interface PostCommand {
  threadId: string;
  body: PostItem;
  actor: Actor;
  key?: Key | undefined;
}

/** How long after an ask ended undecided a text must name the approval it decides, and how many ends are looked at. */
const SWAP_MS = 30_000;
const ENDS_LOOKED_AT = 1000;
const ENDS_AT_ONCE = 50;

type Posted = Pick<PostItem, 'content' | 'metadata'>;

export function postToThread(ports: Ports, command: PostCommand): Promise<Reply<ItemView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openForWork(ports, tx, await sessionOfThread(tx, command.threadId));
    const posted = await takePost(ledger, command.body, command.actor);
    if ('refused' in posted) return posted;
    await ledger.close();
    return made(posted.item);
  });
}

/** A post, and the run that works on it. */
interface Taken {
  item: ItemView;
  run: Run;
}

/** In a transaction that the caller closes; an expired ask is closed here. */
export async function takePost(ledger: Ledger, body: PostItem, actor: Actor): Promise<Taken | Refused> {
  const comment = commentIn(body);
  if (comment !== undefined) return postComment(ledger, comment, body, actor);
  if (!(await answersForm(ledger, body))) await checkTakesInput(ledger);
  const text = textOf(body);
  const { ask, over } = await askOf(ledger, body, text);
  if (ask) return postAnswer(ledger, ask, text, body, actor);
  const taken = await postInput(ledger, text, { content: body.content, metadata: body.metadata }, actor);
  return over ? { ...taken, item: { ...taken.item, winner: winnerOf(over) } } : taken;
}

/** What follows `/comment`, the one text that is never an answer; nor is one that only resembles it. Structured answers are used as they are. */
function commentIn(body: PostItem): string | undefined {
  if (body.metadata?.prompt?.answers !== undefined) return undefined;
  const after = /^[\s\p{Cf}]*\/comment(.*)$/isu.exec(textOf(body))?.[1];
  if (after === undefined || /^(?!\S)/.test(after)) return after;
  throw fail(
    'invalid_request',
    'This begins like a comment, which is "/comment", a space and the text: /comment why? Nothing was posted.',
  );
}

/** About the open prompt, which stays open; a form's too. */
async function postComment(ledger: Ledger, text: string, body: PostItem, actor: Actor): Promise<Taken | Refused> {
  const prompt = await promptOf(ledger);
  const seen = body.metadata?.prompt;
  if (prompt?.status !== 'pending' || (seen !== undefined && seen?.prompt_id !== prompt.id))
    throw fail(
      'thread_prompt_mismatch',
      `A comment is about what the thread asks. ${whatIsAsked(prompt)} Nothing was posted.`,
    );
  if (isBlank(text)) throw fail('thread_item_empty', 'The comment is blank. Nothing was posted.');
  const run = await runOfAsk(ledger.tx, prompt);
  if (isOverdue(prompt, ledger.now)) return expireNow(ledger, run, prompt);
  const itemId = itemIdOf(ledger.session.id, ledger.nextSeq);
  const comment = await addComment(ledger, prompt, { text, role: 'person', actor });
  const metadata = { type: 'comment', ask_id: prompt.id, comment_id: comment.comment_id };
  const content = [{ type: 'text' as const, text: comment.text }];
  return { item: viewOf(ledger, itemId, { content, metadata }, actor, run.id, prompt.id), run };
}

/** A form takes no text, only answers that name it. */
async function answersForm(ledger: Ledger, { metadata }: PostItem): Promise<boolean> {
  if (metadata?.prompt?.answers === undefined) return false;
  return (await pendingForm(ledger))?.id === metadata.prompt.prompt_id;
}

function textOf({ content, metadata }: PostItem): string {
  const text = content.map((part) => part.text).join('\n');
  if (text.length > LONGEST_TEXT) throw fail('invalid_request', `A post has at most ${LONGEST_TEXT} characters.`);
  if (text.trim() === '' && metadata?.prompt?.answers === undefined)
    throw fail('thread_item_empty', 'The post is blank. Nothing was posted.');
  return text;
}

/** What the post answers, or the prompt that was already answered and whose answer is on its way. */
interface Asked {
  ask?: Ask | undefined;
  over?: EndedAsk;
}

/** A post that names its prompt answers that one or is refused. One that names none answers what the thread asks now. */
async function askOf(ledger: Ledger, { metadata }: PostItem, text: string): Promise<Asked> {
  const prompt = await promptOf(ledger);
  const seen = metadata?.prompt;
  if (prompt && prompt.status !== 'pending' && !seen) {
    const isAnswer = seen === undefined && (isRepeat(prompt, text) || hasSecret(prompt) || !takesInput(ledger));
    return isAnswer ? { ask: prompt } : { over: prompt };
  }
  if (seen === undefined || seen?.prompt_id === prompt?.id) return { ask: prompt };
  const ask = seen === null ? undefined : await ledger.tx.get('ask', seen.prompt_id);
  if (ask?.sessionId === ledger.session.id && ask.status !== 'pending') return { ask };
  const wrong = seen === null ? '' : `"${seen.prompt_id}" is not the open prompt of this thread. `;
  throw fail('thread_prompt_mismatch', `${wrong}${whatIsAsked(prompt)} Nothing was posted.`);
}

/** Whether a text says again what was answered. A form takes no text. */
function isRepeat({ kind, mode, content, answer: first }: EndedAsk, text: string): boolean {
  if (mode === 'form') return false;
  if (kind === 'question')
    return JSON.stringify(readAnswers(content.questions, text)) === JSON.stringify(first.answers);
  const { behavior, reason = behavior === 'deny' ? DEFAULT_DENIAL : undefined } = readApproval(text);
  return behavior === first.behavior && reason === first.reason && first.updated_input === undefined;
}

function whatIsAsked(prompt: Ask | undefined): string {
  if (!prompt) return 'It asks nothing at the moment.';
  return prompt.status === 'pending' ? `It asks "${prompt.id}".` : `The answer to "${prompt.id}" is still on its way.`;
}

async function postAnswer(
  ledger: Ledger,
  ask: Ask,
  text: string,
  body: PostItem,
  actor: Actor,
): Promise<Taken | Refused> {
  const run = await runOfAsk(ledger.tx, ask);
  if (isOverdue(ask, ledger.now)) return expireNow(ledger, run, ask);
  const item = post(ledger, withoutSecrets(ask, body), actor, run.id, ask.id);
  const given = body.metadata?.prompt?.answers;
  if (ask.kind === 'approval') {
    const { behavior, reason } = given ? accepted(givenApproval(approvalQuestion(ask), given)) : readApproval(text);
    if (!body.metadata?.prompt && (await mayBeSwappedIn(ledger)))
      throw fail(
        'thread_prompt_mismatch',
        `What was asked before has just ended without a decision, so the text may be meant for that. The agent now asks "${ask.id}": name it in metadata.prompt.prompt_id, or decide it with POST /v1/runs/{id}/approvals. Nothing was posted.`,
      );
    const why = reason === undefined ? {} : { reason: truncate(reason, LONGEST_NOTE) };
    const always = body.metadata?.prompt?.always;
    const resolution = { request_id: ask.id, behavior, ...why, ...(always && { always }) };
    const done = await approve(ledger, run, { resolutions: [resolution], actor });
    return 'refused' in done ? done : { item, run: done };
  }
  const { questions } = ask.content;
  const answers = given ? accepted(givenAnswers(questions, given)) : readAnswers(questions, text);
  const done = await answer(ledger, run, { resolution: { request_id: ask.id, answers }, actor });
  return 'refused' in done ? done : { item, run: done };
}

/**
 * A text that names no prompt must not allow what an agent put in the place of what the person read: it can withdraw that, let
 * it expire or end its run. Where more has ended than is looked at, it may have.
 */
async function mayBeSwappedIn({ tx, session, now }: Ledger): Promise<boolean> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < ENDS_LOOKED_AT; looked += ENDS_AT_ONCE) {
    const ends = await tx.latest(session.id, 'ask.claimed', before, ENDS_AT_ONCE);
    const recent = ends.filter(({ at }) => at > now - SWAP_MS);
    if (recent.some(isUndecided)) return true;
    if (recent.length < ENDS_AT_ONCE) return false;
    before = recent.at(-1)?.seq ?? 0;
  }
  return true;
}

function isUndecided({ data }: Event): boolean {
  const { outcome } = (JSON.parse(data) as { answer: Answer }).answer;
  return outcome !== 'answered' && outcome !== 'declined';
}

const takesInput = ({ ports, session }: Ledger): boolean =>
  !isAttached(session) && !ports.isDispatchAgent(session.agent);

async function postInput(ledger: Ledger, text: string, posted: Posted, actor: Actor): Promise<Taken> {
  if (ledger.ports.isDispatchAgent(ledger.session.agent))
    throw fail(
      'thread_takes_no_input',
      'This session runs commands, and nothing is asked now. Start a run with POST /v1/sessions/{id}/runs.',
    );
  refuseAttached(ledger);
  const item = { role: 'user', author: actor.name, ...posted };
  const { itemId, run } = await queuePost(ledger, { text, actor, item });
  return { item: viewOf(ledger, itemId, posted, actor, run.id), run };
}

function post(ledger: Ledger, posted: Posted, actor: Actor, runId: string, askId: string): ItemView {
  const itemId = itemIdOf(ledger.session.id, ledger.nextSeq);
  ledger.note('item.posted', { role: 'user', author: actor.name, ...posted }, runId, askId);
  return viewOf(ledger, itemId, posted, actor, runId, askId);
}

const viewOf = (
  { session, now }: Ledger,
  id: string,
  { content, metadata }: Posted,
  { name: author }: Actor,
  runId: string,
  askId?: string,
): ItemView => itemView({ id, sessionId: session.id, role: 'user', author, content, metadata, at: now, runId, askId });

const hasSecret = (ask: Ask): boolean => ask.kind === 'question' && ask.content.questions.some((q) => q.secret);

/** The answer to a secret question is in no log and no thread. */
function withoutSecrets(ask: Ask, { content, metadata }: PostItem): Posted {
  if (!hasSecret(ask)) return { content, metadata };
  return { content: [{ type: 'text', text: '(secret)' }], metadata: { prompt: { prompt_id: ask.id } } };
}

/** Refuses a reply that could not be read. */
function accepted<T extends object>(reading: T | Refusal): T {
  if ('code' in reading) throw new HoldpointError(reading as Refusal);
  return reading as T;
}
