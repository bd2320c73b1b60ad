// What every thread must keep to, after every event, as the log alone has it: checked on whatever log a test has made.
import { expect } from 'vitest';
import type { Answer, AskMode } from '../../src/core/ask.ts';
import type { Event } from '../../src/core/event.ts';
import { blockOf } from '../../src/core/form.ts';
import { createThread, type ThreadItem } from '../../src/core/thread.ts';

/** Settled: the agent has the answer, or never will. */
export type Told = { id: string; runId: string | undefined; mode: AskMode; answer?: Answer; isSettled?: boolean };

/**
 * Folds event by event and checks after each what every thread must keep to, as the log alone has it. At every quiet
 * event another fold goes on from there, and must say the same.
 */
export function watched(events: readonly Event[]): ThreadItem[] {
  const thread = createThread({ agentId: 'agent', workFolder: undefined });
  let fresh = createThread({ agentId: 'agent', workFolder: undefined });
  const asks: Told[] = [];
  const items: ThreadItem[] = [];
  const begun = new Set<unknown>();
  for (const event of events) {
    if (event.type === 'started' && !begun.has(event.runId) && !carriesOn(event, events))
      expect(thread.isQuiet, 'where a run of its own begins, all is resolved').toBe(true);
    if (event.type === 'started') begun.add(event.runId);
    const told = thread.take(event);
    expect(fresh.take(event)).toEqual(told);
    const said = told.filter((item) => !item.isUpdate);
    for (const { id, metadata } of told.filter((item) => item.isUpdate)) checkUpdate(id, metadata, items);
    expect([fresh.prompt, fresh.isQuiet]).toEqual([thread.prompt, thread.isQuiet]);
    if (thread.isQuiet) fresh = createThread({ agentId: 'agent', workFolder: undefined });
    note(asks, event);
    for (const item of said) checkNew(item, asks);
    items.push(...said);
    const pending = asks.filter((ask) => !ask.answer);
    const open = pending.filter((ask) => idsOf(items, 'pending_prompt').includes(ask.id));
    expect(open.length, 'at most one is open').toBeLessThanOrEqual(1);
    if (open[0]) expect([open[0], thread.prompt?.id], 'the oldest').toEqual([pending[0], pending[0]?.id]);
  }
  checkOrder(items, events.every(isAttended));
  const [asked, resolved] = [idsOf(items, 'pending_prompt'), idsOf(items, 'pending_prompt_resolved')];
  for (const ids of [asked, resolved, items.map((item) => item.id)])
    expect(new Set(ids).size, 'each once').toBe(ids.length);
  const endedOtherwise = asks.filter(({ id, answer }) => asked.includes(id) && answer && answer.outcome !== 'answered');
  expect(resolved).toEqual(expect.arrayContaining(endedOtherwise.map(({ id }) => id)));
  if (asked.length > resolved.length) return items;
  expect(
    asks.every((ask) => ask.answer),
    'with nothing open, nothing waits',
  ).toBe(true);
  const said = events.flatMap(({ type, data }) => (type === 'output' ? JSON.parse(data).output_id : []));
  expect(items.flatMap(({ metadata }) => metadata?.output_id ?? [])).toEqual(said);
  return items;
}

/** A run that carries a form's or a restart's answer is accepted right after the end of the run that asked. */
function carriesOn({ runId }: Event, events: readonly Event[]): boolean {
  const accepted = events.find((event) => event.type === 'accepted' && event.runId === runId);
  const { kind } = JSON.parse(accepted?.data ?? '{}');
  return kind === 'user_question_resume' || kind === 'dispatch';
}

export function note(asks: Told[], { type, askId, runId, data }: Event): void {
  const { mode, answer } = JSON.parse(data);
  const ask = asks.find((one) => one.id === askId);
  if (type === 'ask.raised') asks.push({ id: askId ?? '', runId, mode });
  if (ask && type === 'ask.claimed') ask.answer = answer;
  if (ask && (type === 'ask.delivered' || type === 'ask.undeliverable')) ask.isSettled = true;
  // What another run carries is not settled by the end of the run that asked.
  const endsHere = (one: Told) => (one.runId === runId) !== (one.mode === 'form' || one.mode === 'restart');
  if (['completed', 'failed', 'interrupted', 'cancelled'].includes(type))
    for (const one of asks) if (one.answer && endsHere(one)) one.isSettled = true;
}

/** Only the block of a form that was shown as pending changes, and only how it ended. */
function checkUpdate(id: string, metadata: ThreadItem['metadata'], items: readonly ThreadItem[]): void {
  const shown = items.find((item) => item.id === id);
  const block = blockOf(metadata);
  expect(block?.status).not.toBe('pending');
  expect({ ...metadata, block: { ...block, status: 'pending' } }, 'shown before').toEqual(shown?.metadata);
}

function checkNew({ metadata }: ThreadItem, asks: readonly Told[]): void {
  const { prompt_id, prompt_state, reason } = (metadata?.prompt ?? {}) as Record<string, unknown>;
  const { answer, isSettled } = asks.find(({ id }) => id === prompt_id) ?? {};
  if (prompt_state === undefined) return;
  expect(answer !== undefined, 'asked while it is pending, resolved when it is not').toBe(prompt_state !== 'pending');
  if (prompt_state !== 'answered') expect(reason).not.toBeNull();
  else expect([answer?.outcome, isSettled, reason], 'delivered first').toEqual(['answered', true, null]);
}

/** Between a prompt and its resolution a worker says nothing. Other prompts stand there only where none is attended. */
function checkOrder(items: readonly ThreadItem[], isStrict: boolean): void {
  const unresolved = new Set<unknown>();
  for (const { role, metadata } of items) {
    const { prompt_id, prompt_state } = (metadata?.prompt ?? {}) as Record<string, unknown>;
    if (metadata?.type === 'pending_prompt_resolved') expect(unresolved.delete(prompt_id), 'asked before').toBe(true);
    else if (role === 'worker' && (isStrict || !prompt_id)) expect([...unresolved]).toEqual([]);
    if (prompt_state === 'pending') unresolved.add(prompt_id);
  }
}

const isAttended = ({ type, data }: Event): boolean =>
  !type.startsWith('run.') && (type !== 'ask.raised' || JSON.parse(data).mode === 'blocking');

export const idsOf = (items: readonly ThreadItem[], type: string): string[] =>
  items.flatMap(({ metadata }) =>
    metadata?.type === type ? (metadata.prompt as { prompt_id: string }).prompt_id : [],
  );
