// The steps of the model tests: each says what it does to the real gateway and, on its own, what the model makes of it.
// A step names what it touches by id, so that the same step can be tried on several copies of the model.
import type { ApprovalResolution, QuestionResolution } from '../../../src/core/answer.ts';
import { HoldpointError } from '../../../src/core/errors.ts';
import type { OpenGateway } from '../../support/gateway.ts';
import { COLOUR } from '../../support/gateway-calls.ts';
import type { Ask, ModelState, Run, Session } from './model.ts';

export interface Got {
  /** `ok`, or the code of the refusal. */
  code: string;
  /** The id of what was made or found; empty where there is nothing to name. */
  id: string;
  /** The run that asks, where a clarification was made. */
  runId?: string;
  /** The run that the one in the reply goes on from. */
  resumes?: string | undefined;
}

export interface Step {
  name: string;
  call(real: OpenGateway): Promise<Got>;
  /** Every code that would be right. Changes the model as the step should have changed it. */
  expect(model: ModelState, got: Got): string[];
}

export type Plan = (model: ModelState, picks: Picks) => Step | undefined;

/** Random numbers of one step; each is used for one choice, so that a shrunk failure stays readable. */
export class Picks {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  number(below: number): number {
    return (this.#numbers[this.#next++] ?? 0) % below;
  }

  one<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.number(list.length)];
  }

  of<T>(...list: [T, ...T[]]): T {
    return list[this.number(list.length)] as T;
  }
}

export const sessionIn = (w: ModelState, id: string): Session => found(w.sessions, id);
export const runIn = (w: ModelState, id: string): Run => found(w.runs, id);
export const askIn = (w: ModelState, id: string): Ask => found(w.asks, id);

function found<T extends { id: string }>(list: readonly T[], id: string): T {
  const one = list.find((candidate) => candidate.id === id);
  if (!one) throw new Error(`the model does not know ${id}`);
  return one;
}

export const QUESTIONS = [...COLOUR, { id: 'why', question: 'Why?', required: false }];

/** Some ways to answer the questions above: valid ones first, each another decision, then faulty ones. */
type Resolution = [resolution: Omit<QuestionResolution, 'request_id'>, code: string];
export const RESOLUTIONS: [Resolution, ...Resolution[]] = [
  [{ answers: [{ question_id: 'colour', selected_option_ids: ['red'] }] }, 'ok'],
  [
    {
      answers: [
        { question_id: 'colour', selected_option_ids: ['blue'] },
        { question_id: 'why', freeform_answer: '0' },
      ],
    },
    'ok',
  ],
  [{ declined: true }, 'ok'],
  [{ declined: true, justification: 'not now' }, 'ok'],
  [{ answers: [] }, 'question_answer_missing'],
  [{ answers: [{ question_id: 'colour', selected_option_ids: ['green'] }] }, 'question_option_not_found'],
  [{ declined: true, answers: [{ question_id: 'why', freeform_answer: 'x' }] }, 'question_declined_with_answers'],
];

/** Some ways to decide an approval, each another decision. */
type Decision = Omit<ApprovalResolution, 'request_id'>;
export const DECISIONS: [Decision, ...Decision[]] = [
  { behavior: 'allow' },
  { behavior: 'deny' },
  { behavior: 'allow', updated_input: { command: 'ls -l' } },
  { behavior: 'deny', reason: 'too risky' },
];

export const OK = ['ok'];

/** Calls the gateway and says what came of it. Anything thrown that is no refusal is a defect. */
export async function got<T>(call: Promise<T>, name: (value: T) => Partial<Got> = () => ({})): Promise<Got> {
  try {
    return { code: 'ok', id: '', ...name(await call) };
  } catch (error) {
    if (error instanceof HoldpointError) return { code: error.code, id: '' };
    throw error;
  }
}
