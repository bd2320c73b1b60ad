// What is decided about one request of Codex: it is put to a person, and their word made into the answer that Codex
// expects, and into words for the model where that answer cannot carry them. Knows no other request, and sends nothing.
// Decides nothing: without an explicit allow, and without having been able to show what would be allowed, it is a no.
import { HoldpointProblem } from '../../client/http.ts';
import type { ApprovalOutcome, AskOutcome, Held } from '../../client/outcome.ts';
import { DEFAULT_DENIAL } from '../../core/answer.ts';
import { canonical } from '../../core/digest.ts';
import type { AgentContext } from '../agent.ts';
import { NameTaken } from '../kit/attached-session.ts';
import type { OpenAsk } from '../kit/pending-asks.ts';
import type { Standing } from '../kit/resume-message.ts';
import type { WantedApproval } from './approvals.ts';
import type { Wanted } from './asks.ts';
import type { SentAnswer } from './delivery.ts';
import type { Place, Words } from './model-messages.ts';
import type { QuestionReply, WantedQuestion } from './questions.ts';
import type { Transcripts } from './transcripts.ts';
import { servesFor, takeAllowed } from './unused-approvals.ts';

/** What is put to a person: as which ask, and where in Codex it was asked. */
export interface Put {
  readonly ask: OpenAsk;
  readonly place: Place | undefined;
}

/** The answer that Codex is given, and to which ask, where one was needed; undefined: none by us. */
export type Settled = ({ result: unknown } & Partial<Pick<SentAnswer, 'askId' | 'item' | 'call'>>) | undefined;

export interface Asking {
  settle(wanted: Wanted, put: Put): Promise<Settled>;
  /** Undefined: it has ended without a word of a person, and Codex is not told. */
  question(wanted: WantedQuestion, put: Put): Promise<(QuestionReply & { askId: string }) | undefined>;
}

export interface AskingParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'acknowledge' | 'markUndeliverable' | 'output'>;
  standing: Standing;
  transcripts: Transcripts;
  words: Words;
  /** Resolves when the server knows which answers have reached Codex. */
  told(): Promise<void>;
  lineageOf(threadId: string): Promise<string[]>;
  /** Others answer too: what cannot be asked here is left to them, not refused. */
  isShared: boolean;
}

export function createAsking(parts: AskingParts): Asking {
  const { context, standing, transcripts, words, told, lineageOf, isShared } = parts;
  const uses = new Map<string, number>();
  // Somebody at Codex's own prompt may have been first.
  const thePerson = isShared ? 'If it was not done, the person' : 'The person';

  /** The same call may ask more than once (a patch, then the same patch without the sandbox). */
  function nameOf(id: string): string {
    const count = (uses.get(id) ?? 0) + 1;
    uses.set(id, count);
    return count === 1 ? id : `${id}~${count}`;
  }

  /** Who attaches again does not know how often the call has asked before: it goes on with the first name that is free. */
  async function named<T>(callId: string, put: (id: string) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await put(nameOf(callId));
      } catch (error) {
        if (!(error instanceof NameTaken)) throw error;
      }
    }
  }

  async function lineageIn(place: Place | undefined): Promise<{ lineage?: string[] }> {
    const lineage = place ? await lineageOf(place.threadId) : [];
    return lineage.length > 0 ? { lineage } : {};
  }

  /**
   * Marks an allow delivered before it is used, so that a worker which takes the run over cannot use it again. If the server
   * refuses, because it was given up meanwhile, the person is asked anew.
   */
  const isUsable = (askId: string): Promise<boolean> =>
    told()
      .then(() => context.acknowledge(askId))
      .then(
        () => true,
        () => false,
      );

  async function approval(wanted: WantedApproval, { ask, place }: Put): Promise<Settled> {
    const { spec } = wanted;
    const input = plain(spec.input);
    const known = await takeAllowed(wanted, input, place, standing, transcripts);
    if (known !== undefined && (await isUsable(known))) {
      await context.output(`Allowed as decided before (${known}).`, { type: 'status' });
      return { result: wanted.answer({ allowed: true, input, suggestion_ids: [] }) };
    }
    const asked = { ...spec, input, ...(await lineageIn(place)) };
    const outcome = ended(await named(wanted.id, (id) => context.approve({ ...asked, id }, mannerOf(ask))));
    if (!isAnswer(outcome)) {
      if (!(await mayDecline(outcome))) return undefined;
      await words.tell(`It was declined, because ${endOf(outcome)}.`, place);
      return { askId: outcome.ask_id, result: wanted.answer({ allowed: false, input, suggestion_ids: [] }) };
    }
    const sent = (isAllowed: boolean) => ({
      askId: outcome.ask_id,
      ...(wanted.itemId && { item: { id: wanted.itemId, isAllowed, isCommand: spec.tool_name === 'Bash' } }),
    });
    if (outcome.allowed && !wanted.takesChanges && canonical(outcome.input) !== canonical(input)) {
      const served = outcome.isBound ? undefined : await servesFor(spec, { place, itemId: wanted.itemId }, transcripts);
      if (served) standing.put({ tool_name: spec.tool_name, input: outcome.input, ...served }, outcome.ask_id);
      const instead = typeof outcome.input.command === 'string' ? outcome.input.command : JSON.stringify(outcome.input);
      await words.tell(
        `${thePerson} allowed this instead, exactly as it stands here: ${instead}\nAsk for exactly that.`,
        place,
      );
      return { ...sent(false), result: wanted.answer({ allowed: false, input, suggestion_ids: [] }) };
    }
    if (!outcome.allowed && outcome.reason !== DEFAULT_DENIAL)
      await words.tell(`${thePerson} said no: ${outcome.reason}`, place);
    return { ...sent(outcome.allowed), result: wanted.answer(outcome) };
  }

  async function question(wanted: WantedQuestion, { ask, place }: Put) {
    const lineage = await lineageIn(place);
    for (let about = wanted.spec.context; ; ) {
      const spec = { ...wanted.spec, ...lineage, context: about };
      const outcome = ended(await named(wanted.id, (id) => context.ask({ ...spec, id }, mannerOf(ask))));
      if (!isAnswer(outcome) && !(await mayDecline(outcome))) return undefined;
      const reply = wanted.answer(outcome);
      if (!('again' in reply)) return { ...reply, askId: outcome.ask_id };
      await context.markUndeliverable(outcome.ask_id, reply.again);
      about = [wanted.spec.context, reply.again].filter(Boolean).join('\n\n');
    }
  }

  /**
   * Codex would wait for ever for what nobody answers any more, unless others answer too. A run that is over can say nothing:
   * its Codex is about to be stopped, and is not told to go on.
   */
  async function mayDecline(outcome: ApprovalOutcome | AskOutcome): Promise<boolean> {
    if (isShared) return false;
    const text = `What Codex had asked was declined, because ${endOf(outcome)}.`;
    return context.output(text, { type: 'status' }).then(
      () => true,
      (error: unknown) => !isOver(error),
    );
  }

  async function unshown({ why, result }: Wanted & { kind: 'unshown' }, { place }: Put): Promise<Settled> {
    const what = isShared ? 'it can only be answered at its own prompt' : 'it was declined';
    await context.output(`Codex asked for something that cannot be shown, so ${what}: ${why}`, { type: 'status' });
    if (isShared) return undefined;
    await words.tell(`It was declined, because it could not be shown to the person. ${why}`, place);
    return { result };
  }

  return {
    async settle(wanted, put) {
      if (wanted.kind === 'approval') return seenBy(wanted, await approval(wanted, put));
      if (wanted.kind === 'unshown') return unshown(wanted, put);
      if (wanted.kind !== 'question') return undefined;
      const reply = await question(wanted, put);
      if (reply?.tell !== undefined) await words.tell(reply.tell, put.place);
      return seenBy(wanted, reply);
    },
    question,
  };
}

/** The answer, with what shows later whether it counted. */
function seenBy({ call }: WantedApproval | WantedQuestion, settled: Settled): Settled {
  if (!settled || !call) return settled;
  return { ...settled, call: { id: call.id, isAnswer: (told) => call.isAnswer(told, settled.result) } };
}

const mannerOf = ({ manner }: OpenAsk) => ({ ...manner, acknowledge: 'sent' as const });

/** Asks are raised blocking, so they come back with their end. */
function ended<T extends ApprovalOutcome | AskOutcome>(outcome: T | Held): T {
  if (outcome.status === 'held') throw new Error('the ask was held');
  return outcome as T;
}

const isOver = (error: unknown): boolean =>
  !(error instanceof HoldpointProblem) || error.code === 'run_state_conflict' || error.code === 'lease_lost';

/** Any other end came without a word of a person: the run is over, the ask was taken back, or its answer cannot be used. */
const isAnswer = ({ status }: ApprovalOutcome | AskOutcome): boolean => status === 'answered' || status === 'declined';

function endOf(outcome: ApprovalOutcome | AskOutcome): string {
  const why = outcome.justification ?? ('reason' in outcome ? outcome.reason : undefined);
  return `it ended without an answer (${outcome.status}${why && why !== outcome.status ? `: ${why}` : ''})`;
}

const plain = (input: Record<string, unknown>) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
