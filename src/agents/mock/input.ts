// Declares the input of a run of the mock agent: a task in words, or a script of steps. `run.ts` plays the script.
import { z } from 'zod';
import { ASK_MODES } from '../../core/ask.ts';
import { QuestionInputs } from '../../core/question.ts';

const text = z.string().optional();
const steps: z.ZodType<Steps> = z.lazy(() => z.array(Step).max(1000));

/** `id` names the ask, by default its position in the script. `{{id}}` in a text quotes the answer. */
const ask = {
  id: z.string().min(1).max(64).optional(),
  expires_after_ms: z.int().positive().optional(),
};

const AskStep = z.strictObject({
  do: z.literal('ask'),
  ...ask,
  mode: z.enum(ASK_MODES).optional(),
  questions: QuestionInputs,
  answered: steps.optional(),
  otherwise: steps.optional(),
});
export type AskStep = z.infer<typeof AskStep>;

const ApproveStep = z.strictObject({
  do: z.literal('approve'),
  ...ask,
  mode: z.enum(['blocking', 'deferred']).optional(),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  reason: text,
  suggestions: z.array(z.strictObject({ id: z.string(), label: z.string() })).optional(),
  diff: text,
  work_folder: text,
  allowed: steps.optional(),
  denied: steps.optional(),
});
export type ApproveStep = z.infer<typeof ApproveStep>;

/** A sub-agent asks its parent session. */
const ClarifyStep = AskStep.omit({ mode: true }).extend({ do: z.literal('clarify') });
export type ClarifyStep = z.infer<typeof ClarifyStep>;

/** A child session with its own script. `afterwards` is the parent's next run, started by the child's report. */
const SubagentStep = z.strictObject({
  do: z.literal('subagent'),
  id: ask.id,
  title: text,
  text,
  script: steps,
  afterwards: steps.optional(),
});
export type SubagentStep = z.infer<typeof SubagentStep>;

const Step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('say'), text: z.string(), type: text }),
  AskStep,
  ApproveStep,
  ClarifyStep,
  SubagentStep,
  z.strictObject({ do: z.literal('parallel'), asks: z.array(z.union([AskStep, ApproveStep])).min(1) }),
  z.strictObject({ do: z.literal('sleep'), ms: z.int().min(0).max(600_000) }),
  z.strictObject({ do: z.literal('fail'), error: z.string() }),
  /** Vanishes without a result, once: the resumed run continues behind this step. */
  z.strictObject({ do: z.literal('crash') }),
  z.strictObject({ do: z.literal('complete'), text }),
]);
export type Step = z.infer<typeof Step>;
/** An interface, because a type alias cannot refer to itself. */
interface Steps extends Array<Step> {}

/** `report`: what the parent session does when this child is done. */
export const MockInput = z.looseObject({ text, script: steps.optional(), report: steps.optional() });
