// Answers for an agent whose process is gone: the agent is started again and told in words what was decided meanwhile. An
// approval that nobody has used yet is kept with the exact action it allows: if the agent asks for that very action
// once more, it has it; anything else is asked anew. Pure, for any agent that is taken up again by a message.
import { approvalOutcome, type Ended, hasEnded, questionOutcome } from '../../client/outcome.ts';
import { canonical } from '../../core/digest.ts';
import type { ApprovalAskView, ApprovalRequest, AskView, QuestionAskView } from '../../core/views.ts';
import { literalJson, literally } from './mention-escape.ts';

type Action = Pick<ApprovalRequest, 'tool_name' | 'input'> & {
  /** What else has to be the same, where the action alone does not say what is allowed. */
  call?: string | undefined;
};

/** Allowed actions that have not been done, each for one use. */
export interface Standing {
  put(action: Action, askId: string): void;
  /** The ask that allowed exactly this; it allows it no second time. */
  take(action: Action): string | undefined;
  isEmpty(): boolean;
}

export function createStanding(): Standing {
  const allowed = new Map<string, string>();
  const keyOf = ({ tool_name, input, call = '' }: Action) => canonical([tool_name, input, call]);
  return {
    put: (action, askId) => void allowed.set(keyOf(action), askId),
    take(action) {
      const key = keyOf(action);
      const askId = allowed.get(key);
      allowed.delete(key);
      return askId;
    },
    isEmpty: () => allowed.size === 0,
  };
}

/** What the agent is told when it is taken up again. `due`: certainly never heard of; `heard`: perhaps. */
export function carriedText(due: readonly AskView[], heard: readonly AskView[]): string {
  const news = due.map(inWords).filter((text) => text !== undefined);
  const olds = heard.map(inWords).filter((text) => text !== undefined);
  const text = [
    'You were interrupted before you had finished, and are now started again in the same conversation.',
    ...(olds.length > 0
      ? ['Before that the person had decided, and you may or may not have acted on it:', ...olds]
      : []),
    ...(news.length > 0 ? ['Meanwhile the person decided:', ...news] : []),
    'What was allowed has not been done yet unless you see that it was: ask for it again exactly as before. Then go on with the task.',
  ];
  return literally(text.join('\n\n'));
}

/** `call`: as in an action. */
export function keepStanding(standing: Standing, ask: AskView, call?: string): void {
  if (ask.kind !== 'approval' || !hasEnded(ask)) return;
  const { tool_name, input } = ask.request;
  const outcome = approvalOutcome(ask, input);
  if (outcome.allowed) standing.put({ tool_name, input: outcome.input, call }, ask.ask_id);
}

function inWords(ask: AskView): string | undefined {
  if (!hasEnded(ask)) return undefined;
  return ask.kind === 'approval' ? approvalInWords(ask) : questionInWords(ask);
}

/** A sub-agent is gone with the process: it is the agent itself that has to know. */
const whoAsked = (lineage: readonly string[] | undefined): string =>
  lineage && lineage.length > 0 ? `Your sub-agent (${lineage.join(' › ')})` : 'You';

function approvalInWords(ask: Ended<ApprovalAskView>): string {
  const { tool_name, input, lineage } = ask.request;
  const outcome = approvalOutcome(ask, input);
  const asked = `${whoAsked(lineage)} asked to use ${tool_name}: ${literalJson(input)}`;
  if (!outcome.allowed) return `${asked}\n→ not allowed: ${outcome.reason}`;
  if (canonical(outcome.input) === canonical(input)) return `${asked}\n→ allowed`;
  return `${asked}\n→ allowed only in this form: ${literalJson(outcome.input)}`;
}

function questionInWords(ask: Ended<QuestionAskView>): string {
  const { questions, lineage, context } = ask.request;
  const outcome = questionOutcome(ask);
  const about = context ? [context] : [];
  const who = whoAsked(lineage);
  const lines = questions.map(({ id, question }) => {
    if (outcome.status !== 'answered') return `${who} asked: ${question}`;
    const given = outcome.answers.find((answer) => answer.question_id === id);
    const said = given ? [...given.labels, ...(given.text ? [given.text] : [])].join('; ') : '(skipped)';
    return `${who} asked: ${question}\n→ ${said}`;
  });
  if (outcome.status === 'answered') return [...about, ...lines].join('\n');
  return `${[...about, ...lines].join('\n')}\n→ ${outcome.status}${outcome.reason === outcome.status ? '' : `: ${outcome.reason}`}`;
}
