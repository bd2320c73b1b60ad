// Validates the input of a run of the mock agent: a task in words, or a script of steps. `run.ts` plays the script.
import { z } from 'zod';
import { ASK_MODES, type AskMode } from '../../core/ask.ts';
import { type QuestionInput, QuestionInputs } from '../../core/question.ts';

interface Asking {
  /** Names the ask; its place in the script otherwise. `{{id}}` in a text quotes what was answered to it. */
  id?: string | undefined;
  expires_after_ms?: number | undefined;
}
export interface AskStep extends Asking {
  do: 'ask';
  mode?: AskMode | undefined;
  questions: QuestionInput[];
  answered?: Step[] | undefined;
  otherwise?: Step[] | undefined;
}
export interface ApproveStep extends Asking {
  do: 'approve';
  mode?: 'blocking' | 'deferred' | undefined;
  tool_name: string;
  input: Record<string, unknown>;
  reason?: string | undefined;
  suggestions?: { id: string; label: string }[] | undefined;
  diff?: string | undefined;
  work_folder?: string | undefined;
  allowed?: Step[] | undefined;
  denied?: Step[] | undefined;
}
/** A sub-agent asks its parent session. */
export interface ClarifyStep extends Asking {
  do: 'clarify';
  questions: QuestionInput[];
  answered?: Step[] | undefined;
  otherwise?: Step[] | undefined;
}
/** A child session with its own script. `afterwards` is the parent's next run, begun by the child's report. */
export interface SubagentStep {
  do: 'subagent';
  id?: string | undefined;
  title?: string | undefined;
  text?: string | undefined;
  script: Step[];
  afterwards?: Step[] | undefined;
}
export type Step =
  | { do: 'say'; text: string; type?: string | undefined }
  | AskStep
  | ApproveStep
  | ClarifyStep
  | SubagentStep
  | { do: 'parallel'; asks: (AskStep | ApproveStep)[] }
  | { do: 'sleep'; ms: number }
  | { do: 'fail'; error: string }
  /** Gone without a word, once: taken up again it goes past this step. */
  | { do: 'crash' }
  | { do: 'complete'; text?: string | undefined };

const steps = z.lazy(() => Step.array().max(1000));
const asking = {
  id: z.string().min(1).max(64).optional(),
  expires_after_ms: z.int().positive().optional(),
};
const answerable = { questions: QuestionInputs, answered: steps.optional(), otherwise: steps.optional() };

const AskStep = z.strictObject({
  do: z.literal('ask'),
  ...asking,
  ...answerable,
  mode: z.enum(ASK_MODES).optional(),
});
const ApproveStep = z.strictObject({
  do: z.literal('approve'),
  ...asking,
  mode: z.enum(['blocking', 'deferred']).optional(),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  reason: z.string().optional(),
  suggestions: z.array(z.strictObject({ id: z.string(), label: z.string() })).optional(),
  diff: z.string().optional(),
  work_folder: z.string().optional(),
  allowed: steps.optional(),
  denied: steps.optional(),
});
const text = z.string().optional();

export const Step: z.ZodType<Step> = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('say'), text: z.string(), type: text }),
  AskStep,
  ApproveStep,
  z.strictObject({ do: z.literal('clarify'), ...asking, ...answerable }),
  z.strictObject({
    do: z.literal('subagent'),
    id: asking.id,
    title: text,
    text,
    script: steps,
    afterwards: steps.optional(),
  }),
  z.strictObject({ do: z.literal('parallel'), asks: z.array(z.union([AskStep, ApproveStep])).min(1) }),
  z.strictObject({ do: z.literal('sleep'), ms: z.int().min(0).max(600_000) }),
  z.strictObject({ do: z.literal('fail'), error: z.string() }),
  z.strictObject({ do: z.literal('crash') }),
  z.strictObject({ do: z.literal('complete'), text }),
]);

/** `report`: what the parent session does when this child is done. */
export const MockInput = z.looseObject({ text, script: steps.optional(), report: steps.optional() });
