// Folds the events of a session into its runs as stretches of time: queued, running, held, and how long people took to
// answer. Pure.
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { EventView } from '../../../src/core/views.ts';

export interface Stretch {
  state: 'queued' | 'running' | 'held';
  fromMs: number;
  /** Undefined while it lasts. */
  toMs: number | undefined;
}

export interface Hold {
  askId: string;
  kind: 'approval' | 'question';
  toolName: string | undefined;
  fromMs: number;
  toMs: number | undefined;
  answer: AnswerView | undefined;
  /** The agent did not take the answer. */
  isUnused: boolean;
}

export interface RunLine {
  runId: string;
  kind: string;
  fromMs: number;
  status: string;
  stretches: Stretch[];
  holds: Hold[];
}

const ENDS = new Set(['completed', 'failed', 'interrupted', 'cancelled']);

export function timeline(events: readonly EventView[]): RunLine[] {
  const runs = new Map<string, RunLine>();
  for (const event of events) {
    if (event.run_id === undefined) continue;
    const { type, at_ms: at, data } = event;
    if (type === 'accepted') {
      const kind = String(data.kind ?? 'input');
      const first: Stretch = { state: 'queued', fromMs: at, toMs: undefined };
      runs.set(event.run_id, {
        runId: event.run_id,
        kind,
        fromMs: at,
        status: 'queued',
        stretches: [first],
        holds: [],
      });
      continue;
    }
    const run = runs.get(event.run_id);
    if (run) apply(run, event);
  }
  return [...runs.values()];
}

function apply(run: RunLine, { type, at_ms: at, data, ask_id }: EventView): void {
  if (type === 'started') enter(run, 'running', at);
  if (type === 'ask.raised' && ask_id !== undefined) {
    const kind = data.kind === 'approval' ? 'approval' : 'question';
    const toolName = typeof data.tool_name === 'string' ? data.tool_name : undefined;
    run.holds.push({ askId: ask_id, kind, toolName, fromMs: at, toMs: undefined, answer: undefined, isUnused: false });
  }
  if (type === 'waiting_for_approval' || type === 'waiting_for_user_question') enter(run, 'held', at);
  if (type === 'ask.claimed') {
    const hold = run.holds.findLast(({ askId }) => askId === ask_id);
    if (hold) Object.assign(hold, { toMs: at, answer: data.answer as AnswerView });
    if (isHeld(run) && run.holds.every(({ toMs }) => toMs !== undefined)) enter(run, 'running', at);
  }
  const unused = type === 'ask.undeliverable' && run.holds.findLast(({ askId }) => askId === ask_id);
  if (unused) unused.isUnused = true;
  if (type === 'run.recovered' && data.as === 'queued') enter(run, 'queued', at);
  if (ENDS.has(type)) {
    run.status = type;
    close(run, at);
  }
}

const isHeld = (run: RunLine): boolean => run.stretches.at(-1)?.state === 'held';

function enter(run: RunLine, state: Stretch['state'], at: number): void {
  if (ENDS.has(run.status)) return;
  run.status = state;
  if (run.stretches.at(-1)?.state === state) return;
  close(run, at);
  run.stretches.push({ state, fromMs: at, toMs: undefined });
}

function close(run: RunLine, at: number): void {
  const last = run.stretches.at(-1);
  if (last && last.toMs === undefined) last.toMs = at;
}

/** How long the run waited for people in total. */
export const heldMs = (run: RunLine, nowMs: number): number =>
  run.stretches.filter((s) => s.state === 'held').reduce((sum, s) => sum + (s.toMs ?? nowMs) - s.fromMs, 0);

export const endMs = (run: RunLine, nowMs: number): number => run.stretches.at(-1)?.toMs ?? nowMs;
