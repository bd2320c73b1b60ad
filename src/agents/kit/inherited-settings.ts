// Resolves the input of a run that continues an earlier one and therefore names no settings. A run with the answer to a form
// gets all settings of the run that displayed it; a run made of thread posts, those that its agent lets it inherit.
import type { AgentContext } from '../agent.ts';
import { escapedJson } from './mention-escape.ts';

type Input = Record<string, unknown>;

export interface ResolvedInput {
  input: Input;
  /** The input of the continued run, from which the agent takes what it lets later runs inherit. */
  inherited?: Input;
  /** The runs from the continued one up to this one. */
  since: ReadonlySet<string>;
}

const isPosted = ({ item_ids }: Input): boolean => Array.isArray(item_ids);

/** `isReadable`: whether a run with this input can have started. */
export async function resolveInput(
  context: AgentContext,
  isReadable: (input: Input) => boolean,
): Promise<ResolvedInput> {
  const { input, run } = context;
  if (input.interactive_form_answer === undefined) return resolvePosts(context, run.run_id, input, isReadable);
  const displayed = (await context.earlier()).at(-1)?.run.run_id;
  const text = escapedJson(input.interactive_form_answer, 2);
  if (displayed === undefined) return { input: { text }, since: new Set() };
  const resolved = await resolvePosts(context, displayed, await context.inputOf(displayed), isReadable);
  return { ...resolved, input: { ...resolved.input, text } };
}

/** Adds to a run made of posts the input of the last run before it that was not. */
async function resolvePosts(
  context: AgentContext,
  runId: string,
  { item_ids, ...input }: Input,
  isReadable: (input: Input) => boolean,
): Promise<ResolvedInput> {
  const since = new Set<string>();
  if (!isPosted({ item_ids })) return { input, since };
  for (const earlier of (await context.runsBefore(runId)).toReversed()) {
    since.add(earlier.run_id);
    if (earlier.kind !== 'input' || earlier.started_at_ms === undefined) continue;
    const inherited = await context.inputOf(earlier.run_id);
    if (!isPosted(inherited) && isReadable(inherited)) return { input, inherited, since };
  }
  return { input, since };
}
