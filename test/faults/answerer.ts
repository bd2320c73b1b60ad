// A person with several windows open: looks at what is pending, decides, and sends the decision again, with the same
// idempotency key, until the server has said what became of it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Winner } from '../../src/core/errors.ts';
import type { ApprovalRequest, PendingQuestionView, UserQuestionRequest } from '../../src/core/views.ts';
import type { Random } from '../support/seeded-random.ts';
import type { Attempt, Knowledge } from './knowledge.ts';
import type { Server } from './phoenix.ts';

interface AnswererOptions {
  name: string;
  random: Random;
  server: Server;
  knowledge: Knowledge;
  /** Most decisions it sends at once. */
  atOnce?: number;
  stopping(): boolean;
}

type Pending = Pick<PendingQuestionView, 'session_id' | 'run_id' | 'run_kind'>;

const IDLE_MS = 10;
const THINKING_MS = 8;
const TOLD = ['question_state_conflict', 'question_expired', 'question_resolution_conflict', 'approval_state_conflict'];

export async function runAnswerer(options: AnswererOptions): Promise<void> {
  const { name, random, server, knowledge, atOnce = 1, stopping } = options;
  const token = await ownToken();
  const listed = <T>(path: string) => server.read<(Pending & { request: T })[]>(path, token);
  const tried = new Set<string>();
  let sent = 0;

  while (!stopping()) {
    const decided = random.chance(0.5) ? await answerQuestion() : await decideApprovals();
    await sleep(decided ? random.int(0, THINKING_MS) : IDLE_MS);
  }

  async function ownToken(): Promise<string> {
    const headers = { 'idempotency-key': `token-${name}` };
    const made = await server.call<{ token: string }>({
      path: '/v1/tokens',
      headers,
      body: { scope: 'operator', name },
    });
    return made.body.token;
  }

  async function answerQuestion(): Promise<boolean> {
    const open = (await listed<UserQuestionRequest>('/v1/questions')).filter((view) => !tried.has(view.request.id));
    if (open.length === 0) return false;
    await Promise.all(some(open).map((view) => answerOne(view)));
    return true;
  }

  /** Different ones, as many as it decides at once. */
  function some<T>(open: readonly T[]): T[] {
    return [...new Set(Array.from({ length: atOnce }, () => random.pick(open)))];
  }

  async function answerOne({
    request,
    session_id,
    run_id,
    run_kind,
  }: Pending & { request: UserQuestionRequest }): Promise<void> {
    tried.add(request.id);
    await look(request.id);
    const nonce = nextNonce();
    if (random.chance(0.05)) {
      const attempt = noted(nonce, [{ askId: request.id, answer: { outcome: 'cancelled' } }]);
      return decide(attempt, `/v1/runs/${run_id}/questions/${request.id}/cancel`, { justification: nonce });
    }
    const declined = random.chance(0.1);
    const answers = declined ? [] : answersTo(request);
    const attempt = noted(nonce, [
      { askId: request.id, answer: declined ? { outcome: 'declined' } : { outcome: 'answered', answers } },
    ]);
    const resolution = { request_id: request.id, answers, declined, justification: nonce };
    const bySession = run_kind !== 'parent_clarification' && random.chance(0.4);
    await decide(attempt, bySession ? `/v1/sessions/${session_id}/questions` : `/v1/runs/${run_id}/questions`, {
      resolution,
    });
  }

  function answersTo({ questions }: UserQuestionRequest) {
    return questions.map(({ id, options, multi_select }) => {
      if (options.length === 0) return { question_id: id, freeform_answer: `${name} says ${random.int(1, 1e6)}` };
      const [first, second] = options.map((option) => option.id);
      const selected = multi_select ? [first, second] : [random.pick(options).id];
      return { question_id: id, selected_option_ids: selected as string[] };
    });
  }

  /** All of a run's approvals that are open, or only some of them, in one batch. */
  async function decideApprovals(): Promise<boolean> {
    const open = (await listed<ApprovalRequest>('/v1/approvals')).filter((view) => !tried.has(view.request.id));
    if (open.length === 0) return false;
    const runs = new Map(some(open).map((view) => [view.run_id, view]));
    await Promise.all([...runs.values()].map((view) => decideBatch(view, open)));
    return true;
  }

  async function decideBatch(
    { run_id, session_id }: Pending,
    open: readonly (Pending & { request: ApprovalRequest })[],
  ): Promise<void> {
    const batch = open.filter((view) => view.run_id === run_id && random.chance(0.9));
    if (batch.length === 0) return;
    for (const { request } of batch) await look(request.id);
    const nonce = nextNonce();
    const resolutions = batch.map(({ request }) => {
      tried.add(request.id);
      if (random.chance(0.4)) return { request_id: request.id, behavior: 'deny' as const, justification: nonce };
      const updated = random.chance(0.3) ? { updated_input: { command: `edited ${random.int(1, 1e6)}` } } : {};
      return { request_id: request.id, behavior: 'allow' as const, justification: nonce, ...updated };
    });
    const attempt = noted(
      nonce,
      resolutions.map(({ request_id, justification: _, ...answer }) => ({
        askId: request_id,
        answer: { outcome: 'answered' as const, ...answer },
      })),
    );
    const path = random.pick([
      `/v1/runs/${run_id}/approvals`,
      `/v1/sessions/${session_id}/approvals`,
      `/v1/sessions/${session_id}/approval-runs`,
    ]);
    await decide(attempt, path, { resolutions });
  }

  /** Now and then the surface says that it was seen, and says it again where it was not told that it arrived. */
  async function look(askId: string): Promise<void> {
    if (!random.chance(0.3)) return;
    const path = `/v1/asks/${askId}/seen`;
    const { status, text } = await server.call({ path, token, body: {} });
    if (status !== 204) knowledge.faults.push(`answerer ${name}: ${path} answered ${text}`);
  }

  function nextNonce(): string {
    sent += 1;
    return `${name}-${sent}`;
  }

  function noted(nonce: string, decisions: Attempt['decisions']): Attempt {
    const attempt: Attempt = { nonce, by: name, decisions, result: 'sent' };
    knowledge.attempts.push(attempt);
    return attempt;
  }

  async function decide(attempt: Attempt, path: string, body: object): Promise<void> {
    const headers = { 'idempotency-key': `key-${attempt.nonce}` };
    const told = await server.call<{ code?: string; winner?: Winner }>({ path, token, headers, body });
    if (told.status < 300) {
      attempt.result = 'acknowledged';
      return;
    }
    attempt.result = 'refused';
    // A batch is refused as a whole: the asks of it that are still open must be decided again, or they wait forever.
    if (attempt.decisions.length > 1) for (const { askId } of attempt.decisions) tried.delete(askId);
    attempt.code = told.body.code ?? String(told.status);
    // Who cancels a question cancels its run, and with it whatever else the run asked.
    const { winner } = told.body;
    if (winner) attempt.winner = winner;
    if (winner?.answered_by === name && winner.outcome !== 'cancelled' && attempt.decisions.length === 1)
      knowledge.faults.push(`answerer ${name}: was told that it lost ${attempt.nonce} against itself`);
    if (!TOLD.includes(attempt.code)) knowledge.faults.push(`answerer ${name}: ${path} answered ${told.text}`);
  }
}
