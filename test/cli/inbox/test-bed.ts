// The inbox without a terminal, for tests: asks to put into it, keys to press, and what came of it.
import { paste, press } from '../../../src/cli/inbox/keys.ts';
import { type Effect, initialState, type State } from '../../../src/cli/inbox/state.ts';
import { type InboxEvent, update } from '../../../src/cli/inbox/update.ts';
import { view } from '../../../src/cli/inbox/view.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { completeQuestions, type QuestionInput } from '../../../src/core/question.ts';
import type { AskView } from '../../../src/core/views.ts';

export const NOW = 1_000_000;
const base = { session_id: 'nightly', run_id: 'run_1', mode: 'blocking' as const, status: 'pending' as const };
const delivery = { state: 'none' as const, attempts: 0 };

export function approval(id: string, command = 'rm -rf build', more: object = {}): AskView {
  const request = {
    id,
    tool_call_id: id,
    tool_name: 'Bash',
    input: { command },
    scope: 's',
    reason: '',
    digest: 'd',
    created_at_ms: NOW - 60_000,
    ...more,
  };
  return {
    ...base,
    ask_id: id,
    kind: 'approval',
    tool_call_id: id,
    created_at_ms: request.created_at_ms,
    request,
    delivery,
  };
}
export function question(id: string, ...inputs: QuestionInput[]): AskView {
  const questions = completeQuestions(inputs.length > 0 ? inputs : [WHERE]);
  const request = { id, tool_call_id: id, questions, digest: 'd', created_at_ms: NOW - 50_000 };
  return {
    ...base,
    ask_id: id,
    kind: 'question',
    tool_call_id: id,
    created_at_ms: request.created_at_ms,
    request,
    delivery,
  };
}
export const WHERE: QuestionInput = {
  id: 'where',
  question: 'Where to?',
  options: [
    { id: 'staging', label: 'Staging' },
    { id: 'prod', label: 'Production', recommended: true },
  ],
};
export const WHICH: QuestionInput = { ...WHERE, id: 'which', question: 'Which ones?', multi_select: true };
export const WHY: QuestionInput = { id: 'why', question: 'Why?', required: false };
export const KEY: QuestionInput = { id: 'key', question: 'The key?', secret: true };

/** An inbox that has been looked at for a while. */
export class Inbox {
  state: State;
  effects: Effect[] = [];

  constructor(asks: AskView[], size: { columns?: number; rows?: number; hasEditor?: boolean } = {}) {
    this.state = initialState({
      programName: 'holdpoint',
      hasEditor: false,
      columns: 80,
      rows: 24,
      nowMs: NOW,
      ...size,
    });
    this.tell({ type: 'raised', asks, isNews: false });
    this.tell({ type: 'link', link: 'live' });
  }
  tell(event: InboxEvent): this {
    return this.#take(update(this.state, event));
  }
  keys(...names: string[]): this {
    for (const name of names) this.#take(press(this.state, { name, ...(name.length === 1 && { text: name }) }));
    return this;
  }
  /** Presses Enter on the selected ask, and looks at it for a moment. */
  open(): this {
    return this.keys('return').later(400);
  }
  text(text: string): this {
    return this.keys(...text);
  }
  paste(text: string): this {
    this.state = paste(this.state, text);
    return this;
  }
  later(ms: number): this {
    return this.tell({ type: 'tick', nowMs: this.state.nowMs + ms });
  }
  settle(askId: string, more: object = {}): this {
    const answer = {
      outcome: 'answered',
      behavior: 'deny',
      answered_by: 'alice',
      surface: 'web',
      answered_at_ms: NOW,
    } as const;
    return this.tell({ type: 'settled', askId, answer: { ...answer, ...more } });
  }
  screen(): string[] {
    return view(this.state).lines.map((of) => plain(of).trimEnd());
  }
  shown(): string {
    return this.screen().join('\n');
  }
  sent(): unknown[] {
    return this.effects.flatMap((e) => ('resolution' in e ? [e.resolution] : []));
  }
  #take({ state, effects }: { state: State; effects: readonly Effect[] }): this {
    this.state = state;
    this.effects.push(...effects);
    return this;
  }
}
