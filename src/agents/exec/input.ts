// Validates the input of a run of agent `exec` and derives what its program gets: environment, input and prompt. Pure.
import { z } from 'zod';
import { issueText } from '../../core/issue-text.ts';
import { bytesOf } from '../../core/partial-state.ts';
import { SkillNames } from '../kit/run-input.ts';
import { DispatchFailure } from '../workspace/dispatch-failure.ts';

/** The name of the skill that says how a headless program asks. */
const NEEDS_INPUT_HELPER = 'agora-needs-input';

const word = z.string().refine((text) => !text.includes('\0'), 'must not have a NUL character');

const DispatchInput = z.strictObject({
  command: z.array(word).min(1).max(10_000),
  data: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a name of the environment'), word).optional(),
  timeout_ms: z.int().positive().optional(),
  prompt_template: z.string().optional(),
  skills: SkillNames.optional(),
  /** The name of a runtime that does not recognise the command. */
  runtime: z.string().optional(),
  text: z.string().optional(),
  answer: z.string().nullable().optional(),
  declined: z.boolean().optional(),
  justification: z.string().optional(),
  partial_state: z.unknown().optional(),
  /** The answer to a form that an earlier run of this session displayed. */
  interactive_form_answer: z.unknown().optional(),
});

export type DispatchSpec = Pick<z.infer<typeof DispatchInput>, 'command' | 'timeout_ms' | 'runtime'> & {
  skills: string[];
  env: Record<string, string>;
  /** `{...data, answer, partial_state}` */
  input: Record<string, unknown>;
  template: string | undefined;
  /** The names in `input` whose values come from an earlier dispatch, or from the answer to it. */
  carried: ReadonlySet<string>;
};

/** On Linux a variable has at most 128 KiB, including its name. */
const ENV_BYTES = 120 * 1024;

export function readSpec(given: Record<string, unknown>): DispatchSpec {
  const read = DispatchInput.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = issue ? `${issue.path.join('.') || 'it'} ${issueText(issue)}` : 'it is not valid';
    throw new DispatchFailure('worker-failed', `The input of an exec run is not well formed: ${what}.`);
  }
  const { command, timeout_ms, runtime, skills: named = [], env = {}, data, prompt_template } = read.data;
  const carried = carriedInput(read.data);
  const input = { ...data, ...carried };
  const names = new Set(Object.keys(carried));
  // The helper is part of every dispatch, so naming it adds nothing.
  const skills = named.filter((name) => name !== NEEDS_INPUT_HELPER);
  return { command, timeout_ms, runtime, skills, env, input, template: prompt_template, carried: names };
}

function carriedInput(given: z.infer<typeof DispatchInput>) {
  const { answer, declined, justification, partial_state, interactive_form_answer } = given;
  return {
    ...(interactive_form_answer !== undefined && { interactive_form_answer }),
    ...(answer !== undefined && { answer }),
    ...(declined && { declined, ...(justification !== undefined && { justification }) }),
    ...(partial_state !== undefined && { partial_state }),
  };
}

/**
 * Fills in a template: `{{name}}` and `{{name.of.a.part}}` become the value in the input, `{{input}}` all of it;
 * `{{#name}}…{{/name}}` stays only if there is a value. Values are not expanded again. `tell`: formats carried values.
 */
export function promptOf(
  { template, input, carried }: Pick<DispatchSpec, 'template' | 'input' | 'carried'>,
  tell: (value: unknown) => string = textOf,
): string | undefined {
  if (template === undefined) return undefined;
  const section = /\{\{#([\w.-]+)\}\}([\s\S]*?)\{\{\/\1\}\}/g;
  const kept = template.replace(section, (_, path: string, inside: string) =>
    hasValue(valueAt(input, path)) ? inside : '',
  );
  return kept.replace(/\{\{([\w.-]+)\}\}/g, (_, path: string) => {
    const isAll = path === 'input' && !('input' in input);
    const value = isAll ? input : valueAt(input, path);
    if (!hasValue(value)) return '';
    const [name = path] = path.split('.');
    return isAll || carried.has(name) ? tell(value) : textOf(value);
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

function valueAt(input: Record<string, unknown>, path: string): unknown {
  let value: unknown = input;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Names the file instead of what does not fit into a variable. */
export function inputJson(input: Record<string, unknown>, file: string): string {
  const { partial_state: _, ...small } = input;
  const texts = [input, { ...small, input_file: file }, { input_file: file }].map((value) => JSON.stringify(value));
  return texts.find((text) => bytesOf(text) <= ENV_BYTES) ?? '{}';
}
