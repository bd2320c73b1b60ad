// The plan that a session of Claude Code is about to show, as far as it was heard. Its model writes it into a file, wherever
// its settings want that, or gives it with the call. While it plans nobody allows it another file, so what it has
// written then is the plan. Owns the text; reads no files.
import { PLAN_TOOL } from './claude-asks.ts';
import { fittingText } from './fitting-text.ts';
import type { Content } from './wire/claude-stream.ts';

interface PlanCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

const PLAN_CHARACTERS = 20_000;

export function createPlan() {
  let plan = '';
  let file: unknown;
  let lastText = '';
  /** Calls that may be about the plan, and have no result yet. */
  const going = new Map<string, PlanCall>();

  function done({ name, input: { file_path, content, old_string, new_string, replace_all } }: PlanCall): void {
    if (name === PLAN_TOOL) plan = '';
    if (name === 'Write' && typeof content === 'string' && `${file_path}`.endsWith('.md'))
      [plan, file] = [content, file_path];
    if (name !== 'Edit' || file_path !== file || typeof old_string !== 'string') return;
    const changed = () => String(new_string ?? '');
    plan = replace_all === true ? plan.replaceAll(old_string, changed) : plan.replace(old_string, changed);
  }

  return {
    /** What the session itself says and calls, as its model put it: a hook shows the call without the plan. */
    said(part: Content): void {
      if (part.type === 'text') lastText = part.text;
      if (part.type === 'tool_use' && part.name === PLAN_TOOL && typeof part.input.plan === 'string')
        plan = part.input.plan;
    },
    /** Before a call of the session itself, in the mode that it is in by then. */
    before(call: PlanCall, mode: string | undefined): void {
      if (mode === 'plan') going.set(call.id, call);
    },
    settled(callId: string, isError: boolean): void {
      const call = going.get(callId);
      going.delete(callId);
      if (call && !isError) done(call);
    },
    /** What a person is shown who is to allow it. */
    text(): string {
      const words = lastText === '' ? '' : ` What it said last:\n\n${lastText}`;
      return fittingText(plan.trim() === '' ? `There is no plan with this.${words}` : plan, PLAN_CHARACTERS);
    },
  };
}
