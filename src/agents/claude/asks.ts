// Translates tool calls of Claude Code into asks, outcomes into decisions, and decisions into its replies. Pure. An input
// that a person changed is the one that runs; without an explicit allow a call is denied, with a message for the model.
import { z } from 'zod';
import type { ApprovalOutcome, AskOutcome, GivenAnswer } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { DEFAULT_DENIAL } from '../../core/answer.ts';
import { storable, truncate } from '../../core/text-limit.ts';
import type { AskView } from '../../core/views.ts';
import { Rule, type Suggestion } from './protocol.ts';
import type { ToolCall } from './stream-events.ts';

export const QUESTION_TOOL = 'AskUserQuestion';
export const PLAN_TOOL = 'ExitPlanMode';

type Input = Record<string, unknown>;
export type Decision =
  | { behavior: 'allow'; input: Input; rules: Suggestion[] }
  | { behavior: 'deny'; message: string }
  | { behavior: 'held' };

const Questions = z.looseObject({
  questions: z.array(
    z.looseObject({
      question: z.string(),
      header: z.string().optional(),
      multiSelect: z.boolean().optional(),
      options: z.array(
        z.looseObject({ label: z.string(), description: z.string().optional(), preview: z.string().optional() }),
      ),
    }),
  ),
});
type Asked = z.infer<typeof Questions>['questions'][number];

/** Undefined if they are not well formed. Of several questions some may be skipped, which is reported to the model. */
export function questionsOf(call: ToolCall): (AskSpec & { id: string }) | undefined {
  const read = Questions.safeParse(call.input);
  if (!read.success) return undefined;
  const { questions } = read.data;
  return {
    id: call.id,
    ...lineageOf(call),
    questions: questions.map(({ question, header, multiSelect, options }) => ({
      question,
      header: truncate(storable(header ?? ''), 200) || undefined,
      multi_select: multiSelect ?? false,
      required: questions.length === 1,
      options: options.map(({ label, description, preview }) => ({ label, description, preview })),
    })),
  };
}

export function approvalOf(call: ToolCall): ApproveSpec & { id: string } {
  const suggestions = call.suggestions.flatMap(offersOf);
  return {
    id: call.id,
    tool_name: call.name,
    input: call.input,
    reason: call.name === 'Skill' ? `${call.reason}\n${SKILL_WARNING}`.trim() : call.reason,
    ...lineageOf(call),
    ...(call.folder !== undefined && { work_folder: call.folder }),
    ...(suggestions.length > 0 && { suggestions }),
  };
}

const SKILL_WARNING =
  'A skill that is allowed may use the tools and run the hooks that its front matter names: nobody is asked for those again.';

const lineageOf = ({ lineage }: ToolCall) => (lineage.length > 0 ? { lineage } : {});

/** A suggestion as it is shown to the person. */
const Offer = z.looseObject({ id: z.string(), label: z.string(), rules: z.array(Rule) });

/** Offers only suggested allow rules: a change of the mode or the folders would allow more than the person is shown. */
function offersOf({ type, behavior, rules = [] }: Suggestion, index: number): z.infer<typeof Offer>[] {
  if (type !== 'addRules' || behavior !== 'allow' || rules.length === 0) return [];
  return [{ id: `session-${index}`, label: labelOf(rules), rules }];
}

const labelOf = (rules: readonly Rule[]): string =>
  `Do not ask again in this session for ${rules.map(ruleText).join(', ')}`;

export const ruleText = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

const addRules = (rules: Rule[]): Suggestion[] =>
  rules.length > 0 ? [{ type: 'addRules', behavior: 'allow', rules, destination: 'session' }] : [];

/** The rules that a person accepted with an approval. */
export function acceptedRules({ kind, request, answer }: AskView): Rule[] {
  if (kind !== 'approval' || answer?.outcome !== 'answered' || answer.behavior !== 'allow') return [];
  return accepted(request, answer.suggestion_ids ?? []);
}

/** Only offers whose label, which the person read, says what their rules are. */
function accepted(
  { suggestions = [] }: { suggestions?: readonly unknown[] | undefined },
  ids: readonly string[],
): Rule[] {
  return suggestions.flatMap((suggestion) => {
    const offered = Offer.safeParse(suggestion).data;
    return offered && ids.includes(offered.id) && offered.label === labelOf(offered.rules) ? offered.rules : [];
  });
}

/** `shown`: the ask that the person decided. */
export function approvalDecision(shown: Pick<ApproveSpec, 'suggestions'>, outcome: ApprovalOutcome): Decision {
  if (outcome.allowed)
    return { behavior: 'allow', input: outcome.input, rules: addRules(accepted(shown, outcome.suggestion_ids)) };
  if (outcome.status === 'answered') {
    const why = outcome.reason === DEFAULT_DENIAL ? ', and gave no reason.' : `: ${outcome.reason}`;
    return { behavior: 'deny', message: `A person denied this${why}` };
  }
  return {
    behavior: 'deny',
    message: `Nobody allowed this: the request ended as ${outcome.status} (${outcome.reason}).`,
  };
}

export function questionDecision(call: ToolCall, outcome: AskOutcome): Decision {
  if (outcome.status !== 'answered') {
    const why = outcome.reason === outcome.status ? '' : `: ${outcome.reason}`;
    const what =
      outcome.status === 'declined' ? 'The person declined to answer' : `There is no answer (${outcome.status})`;
    return { behavior: 'deny', message: `${what}${why}. Go on without it, or say what you cannot do.` };
  }
  const questions = Questions.parse(call.input).questions.map(withUsableKey);
  const answers: Record<string, string> = {};
  const annotations: Record<string, { notes?: string; preview?: string }> = {};
  for (const [i, asked] of questions.entries()) {
    const given = outcome.answers.find((a) => a.question_id === `question-${i + 1}`);
    answers[asked.question] = given ? answerText(asked, given) : 'No answer: the person skipped this question.';
    const notes = given && annotationOf(asked, given);
    if (notes) annotations[asked.question] = notes;
  }
  const [first] = questions;
  if (outcome.justification && first)
    annotations[first.question] = { ...annotations[first.question], notes: outcome.justification };
  const noted = Object.keys(annotations).length > 0 && { annotations };
  return { behavior: 'allow', input: { ...call.input, questions, answers, ...noted }, rules: [] };
}

/** Answers are keyed by question text, and an object cannot have a key `__proto__` of its own. */
const withUsableKey = (asked: Asked): Asked =>
  asked.question === '__proto__' ? { ...asked, question: `${asked.question} ` } : asked;

/** Labels are joined with commas, so one that contains a comma is quoted. */
function answerText({ multiSelect }: Asked, { labels, text = '' }: GivenAnswer): string {
  if (labels.length === 0) return text;
  if (!multiSelect) return labels.join(', ');
  const quoted = labels.map((label) => (label.includes(',') ? `"${label}"` : label));
  return [...quoted, ...(text.trim() === '' ? [] : [text])].join(', ');
}

function annotationOf({ multiSelect, options }: Asked, { labels, text = '' }: GivenAnswer) {
  if (multiSelect || labels.length === 0) return undefined;
  const preview = options.find((option) => option.label.trim() === labels[0])?.preview;
  const notes = text.trim() === '' ? undefined : text;
  return preview === undefined && notes === undefined
    ? undefined
    : { ...(notes && { notes }), ...(preview && { preview }) };
}

/** Makes Claude Code request a permission, whatever its rules say. */
export const ASK_ANYWAY = { behavior: 'ask' } as const;

/** The reply to a PreToolUse hook. An empty reply leaves the call to Claude Code's own rules. */
export function hookReply(decision: Decision | typeof ASK_ANYWAY | undefined): object {
  return decision ? { hookSpecificOutput: { hookEventName: 'PreToolUse', ...hookDecision(decision) } } : {};
}

function hookDecision(decision: Decision | typeof ASK_ANYWAY): object {
  switch (decision.behavior) {
    case 'ask':
      return { permissionDecision: 'ask' };
    case 'allow':
      return { permissionDecision: 'allow', updatedInput: decision.input };
    case 'deny':
      return { permissionDecision: 'deny', permissionDecisionReason: decision.message };
    case 'held':
      return { permissionDecision: 'defer' };
  }
}

const CHANGED_CHARACTERS = 10_000;

/** The reply to the hook of a call that ran. `input`: what it ran with, where a person changed that. */
export function afterCallReply(hookEventName: string, input: Input | undefined): object {
  if (input === undefined) return {};
  const ran = truncate(JSON.stringify(input), CHANGED_CHARACTERS);
  const additionalContext = `A person changed the input of this call before allowing it. It ran with this input: ${ran}`;
  return { hookSpecificOutput: { hookEventName, additionalContext } };
}

/** The reply to a permission request, without the accepted rules, which session-rules.ts applies. It is never `held`. */
export function permissionReply({ id }: ToolCall, decision: Decision): object {
  if (decision.behavior === 'allow') return { behavior: 'allow', updatedInput: decision.input, toolUseID: id };
  const message = decision.behavior === 'deny' ? decision.message : 'Nobody could be asked.';
  return { behavior: 'deny', message, toolUseID: id };
}

/** For calls of earlier runs: see `abandonedCalls`. */
export const ABANDONED: Decision = {
  behavior: 'deny',
  message: 'This was not done: the run that asked for it was ended before anybody allowed it.',
};
