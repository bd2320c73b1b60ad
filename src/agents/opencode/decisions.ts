// Puts one request of OpenCode to a person and turns their decision into the reply that OpenCode expects. Sends no reply
// itself, and knows no other request. Without an explicit allow the reply denies.
import type { AskOptions } from '../../client/asking.ts';
import type { ApprovalOutcome, AskOutcome } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { AgentContext } from '../agent.ts';
import type { AboutRequest } from '../kit/side-question.ts';
import { ended, endOf, isAnswer, reportDeclined } from '../kit/unanswered.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';
import type { Api, PermissionReply, QuestionReply } from './api.ts';
import { allowance, answersTo, approvalSpec, denial, questionSpec } from './asks.ts';
import type { Part, Permission, Request } from './protocol.ts';
import type { SideQuestions } from './side-questions.ts';

/** The reply, and the ask that it answers, where one was needed. */
export interface Decision {
  reply: PermissionReply | QuestionReply;
  askId?: string;
}

export interface DecisionParts {
  context: Pick<AgentContext, 'ask' | 'approve' | 'acknowledge' | 'output'>;
  api: Pick<Api, 'call'>;
  sideQuestions: SideQuestions;
  unusedApprovals: UnusedApprovals;
  /** Other clients answer too: what ends here without an answer is left to them. */
  isShared: boolean;
}

const CALL_TRIES = 5;
const CALL_RETRY_MS = 100;

export function createDecisions({ context, api, sideQuestions, unusedApprovals, isShared }: DecisionParts) {
  /** OpenCode may ask a moment before it stores the input of the call. */
  async function callOf(directory: string, asked: Permission): Promise<Part | undefined> {
    for (let tries = 1; asked.tool; tries++) {
      const call = await api.call(directory, asked).catch(() => undefined);
      if (call || tries === CALL_TRIES) return call;
      await new Promise((resolve) => setTimeout(resolve, CALL_RETRY_MS));
    }
    return undefined;
  }

  const explains = (request: Pick<Request, 'directory' | 'asked'>, about: AboutRequest): AskOptions => ({
    onComment: (text, signal) => sideQuestions.ask(request, about, text, signal),
  });

  /** Acknowledges an approval before it is reused, so that no other worker reuses it too. If refused, it is void. */
  const mayReuse = (askId: string): Promise<boolean> =>
    context.acknowledge(askId).then(
      () => true,
      () => false,
    );

  async function approval(
    { directory, asked }: { directory: string; asked: Permission },
    lineage: string[],
    options: AskOptions,
  ): Promise<Decision | undefined> {
    const spec = approvalSpec(asked, await callOf(directory, asked));
    const input = JSON.parse(JSON.stringify(spec.input)) as Record<string, unknown>;
    const action = { tool_name: spec.tool_name, input, limits: spec.diff };
    const reused = unusedApprovals.take(action);
    if (reused !== undefined && (await mayReuse(reused))) {
      await context.output(`Allowed as decided before (${reused}).`, { type: 'status' });
      return { reply: { reply: 'once' } };
    }
    const explained = { ...options, ...explains({ directory, asked }, spec) };
    const outcome = ended(await context.approve({ ...spec, input, ...(lineage.length > 0 && { lineage }) }, explained));
    const { ask_id: askId } = outcome;
    if (!isAnswer(outcome)) return (await mayDecline(outcome)) ? { askId, reply: denial(endOf(outcome)) } : undefined;
    if (!outcome.allowed) return { askId, reply: denial(`The person said no: ${outcome.reason}`) };
    if (canonical(outcome.input) === canonical(input)) return { askId, reply: allowance(outcome) };
    if (!outcome.isBound) unusedApprovals.add({ ...action, input: outcome.input }, askId);
    const { command = JSON.stringify(outcome.input) } = outcome.input;
    const instead = `The person allowed this instead, exactly as it stands here: ${command}\nAsk for exactly that.`;
    return { askId, reply: denial(instead) };
  }

  const mayDecline = async (outcome: ApprovalOutcome | AskOutcome): Promise<boolean> =>
    !isShared && reportDeclined(context, 'OpenCode', outcome);

  /** Undefined: no reply is sent. */
  return async (request: Request, lineage: string[], waiting: AskOptions): Promise<Decision | undefined> => {
    const options: AskOptions = { ...waiting, acknowledge: 'sent' };
    if (request.kind === 'permission') return approval(request, lineage, options);
    const spec = questionSpec(request.asked);
    // A model may ask nothing, and OpenCode would wait for the answer to that.
    if (request.asked.questions.length === 0) return isShared ? undefined : { reply: { answers: [] } };
    const explained = { ...options, ...explains(request, spec) };
    const outcome = ended(await context.ask({ ...spec, ...(lineage.length > 0 && { lineage }) }, explained));
    if (!isAnswer(outcome) && !(await mayDecline(outcome))) return undefined;
    return { askId: outcome.ask_id, reply: answersTo(request.asked, outcome) };
  };
}
