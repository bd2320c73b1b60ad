// The input of a run that goes on with its session: one made of posts to the thread, or one that carries the answer to a
// form. Nobody could say its settings, so they come from the run that it goes on with: all of them behind a form, whose
// answer belongs to a call of that run; behind a post those that the agent carries over. Owns finding that run.
import type { AgentContext } from '../agent.ts';
import { literalJson } from './mention-escape.ts';

type Input = Record<string, unknown>;

export interface GoingOn {
  input: Input;
  /** Settings that come from a run before, where the agent has to weigh them. */
  carried?: Input;
  /** The runs from that one on, as far as they are before this one. */
  since: ReadonlySet<string>;
}

const isPosted = ({ item_ids }: Input): boolean => Array.isArray(item_ids);
const carriesForm = ({ interactive_form_answer }: Input): boolean => interactive_form_answer !== undefined;

/** `isReadable`: whether a run with this input can have begun at all. */
export async function goingOn(context: AgentContext, isReadable: (input: Input) => boolean): Promise<GoingOn> {
  const { input, run } = context;
  if (!carriesForm(input)) return settled(context, run.run_id, input, isReadable);
  const displayed = (await context.earlier()).at(-1)?.run.run_id;
  const text = literalJson(input.interactive_form_answer, 2);
  if (displayed === undefined) return { input: { text }, since: new Set() };
  const before = await settled(context, displayed, await context.inputOf(displayed), isReadable);
  return { ...before, input: { ...before.input, text } };
}

/** What the run itself says, and where it is made of posts what the last run before it said that was not. */
async function settled(
  context: AgentContext,
  runId: string,
  { item_ids, ...own }: Input,
  isReadable: (input: Input) => boolean,
): Promise<GoingOn> {
  const since = new Set<string>();
  if (!isPosted({ item_ids })) return { input: own, since };
  for (const before of (await context.runsBefore(runId)).toReversed()) {
    since.add(before.run_id);
    // One that was never begun has settled nothing.
    if (before.kind !== 'input' || before.started_at_ms === undefined) continue;
    const input = await context.inputOf(before.run_id);
    if (!isPosted(input) && isReadable(input)) return { input: own, carried: input, since };
  }
  return { input: own, since };
}
