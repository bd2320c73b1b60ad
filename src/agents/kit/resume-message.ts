// Writes the message to an agent whose process was restarted: what people decided about its asks while it was gone, and
// what it may already have acted on. For every agent that is resumed by a message.
import {
  approvalOutcome,
  type Ended,
  type GivenAnswer,
  hasEnded,
  questionOutcome,
  type Unanswered,
} from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../../core/views.ts';
import type { AgentContext } from '../agent.ts';
import { escapedJson, escapeMentions } from './mention-escape.ts';

/** What a restarted process of a run is told, and the answers among it that certainly never reached the agent. */
export async function resumption(context: Pick<AgentContext, 'due' | 'history' | 'run' | 'acknowledge'>) {
  // An answer that was sent to the process before may have arrived: it is no news, and allows nothing once more.
  const due = context.due.filter((ask) => hasEnded(ask) && ask.delivery.attempts === 0);
  const dueIds = new Set(due.map(({ ask_id }) => ask_id));
  const ofRun = (await context.history()).filter(({ run_id }) => run_id === context.run.run_id);
  const delivered = ofRun.filter(({ ask_id }) => !dueIds.has(ask_id));
  return {
    due,
    text: resumeMessage(due, delivered),
    async onSent(): Promise<void> {
      for (const { ask_id } of context.due) await context.acknowledge(ask_id);
    },
  };
}

/** `due`: asks whose answers certainly never reached the agent. `delivered`: those whose answers may have. */
export function resumeMessage(due: readonly AskView[], delivered: readonly AskView[]): string {
  const news = due.filter(hasEnded).map(decisionText);
  const earlier = delivered.filter(hasEnded).map(decisionText);
  const text = [
    'You were interrupted before you had finished, and are now started again in the same conversation.',
    ...(earlier.length > 0
      ? ['Before that the person had decided, and you may or may not have acted on it:', ...earlier]
      : []),
    ...(news.length > 0 ? ['Meanwhile the person decided:', ...news] : []),
    ...([...due, ...delivered].some(isAllowed) ? [ASK_AGAIN] : []),
    'Go on with the task.',
  ];
  return escapeMentions(text.join('\n\n'));
}

const ASK_AGAIN =
  'What was allowed has not been done yet unless you see that it was: ask for it again exactly as before.';

const isAllowed = (ask: AskView): boolean =>
  ask.kind === 'approval' && hasEnded(ask) && approvalOutcome(ask, ask.request.input).allowed;

const decisionText = (ask: Ended<AskView>): string => (ask.kind === 'approval' ? approvalText(ask) : questionText(ask));

/** A sub-agent ended with the process, so its asks are reported to the agent itself. */
const requester = (lineage: readonly string[] | undefined): string =>
  lineage && lineage.length > 0 ? `Your sub-agent (${lineage.join(' › ')})` : 'You';

function approvalText(ask: Ended<ApprovalAskView>): string {
  const { tool_name, input, lineage } = ask.request;
  const outcome = approvalOutcome(ask, input);
  const asked = `${requester(lineage)} asked to use ${tool_name}: ${escapedJson(input)}`;
  if (!outcome.allowed) return `${asked}\n→ not allowed: ${outcome.reason}`;
  if (canonical(outcome.input) === canonical(input)) return `${asked}\n→ allowed`;
  return `${asked}\n→ allowed only in this form: ${escapedJson(outcome.input)}`;
}

function questionText(ask: Ended<QuestionAskView>): string {
  const { questions, lineage, context } = ask.request;
  const outcome = questionOutcome(ask);
  const lines = questions.map(({ id, question }) => {
    const asked = `${requester(lineage)} asked: ${question}`;
    return outcome.status === 'answered' ? `${asked}\n→ ${answerText(outcome.answers, id)}` : asked;
  });
  const text = [...(context ? [context] : []), ...lines].join('\n');
  if (outcome.status === 'answered') return text;
  return `${text}\n→ ${outcome.status}${outcome.reason === outcome.status ? '' : `: ${outcome.reason}`}`;
}

/** The chosen labels and the free text that answer one question of a set. */
export function answerText(answers: readonly GivenAnswer[], questionId: string): string {
  const given = answers.find(({ question_id }) => question_id === questionId);
  return given ? [...given.labels, ...(given.text ? [given.text] : [])].join('; ') : '(skipped)';
}

/** For a model whose question ended without an answer. */
export function notAnsweredText({ status, reason, justification }: Unanswered): string {
  const why = justification ?? (reason === status ? undefined : reason);
  const what = status === 'declined' ? 'The person declined to answer' : `The question was not answered (${status})`;
  return `${what}${why ? `: ${why}` : ''}. Do not ask it again; go on without the answer, or say that you cannot.`;
}
