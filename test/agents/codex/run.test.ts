// Replays runs that were recorded from the real Codex: with the same decisions, Holdpoint must send exactly the messages
// that it sent then.
// Covers: src/agents/codex/, src/agents/codex/agent.ts, src/agents/codex/folder-config.ts
// Covers: src/agents/codex/outputs.ts, src/agents/codex/protocol.ts, src/agents/codex/thread.ts
// Covers: src/agents/codex/turns.ts
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { CASES, shows } from './transcript-cases.ts';
import { CodexReplay, type Line, transcripts } from './transcript-replay.ts';

let replay: CodexReplay;
beforeAll(async () => {
  replay = await CodexReplay.open();
});
afterAll(() => replay.close());

/** Removes the open ask that shows this. */
function taken(open: AskView[], shown: object): AskView {
  const at = open.findIndex((ask) => shows(ask, shown));
  const [ask] = at < 0 ? [] : open.splice(at, 1);
  if (!ask) throw new Error(`nothing open shows ${JSON.stringify(shown)}: ${JSON.stringify(open)}`);
  return ask;
}

describe('the recorded run', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input = {}, asks, together, ends = { status: 'completed' } }) => {
    const run = await replay.start(name, input);
    const open = together ? await replay.bed.pending(run.session_id, together) : undefined;
    for (const [shown, decide] of asks) {
      const ask = open ? taken(open, shown) : await replay.next(run);
      expect(ask.request).toMatchObject(shown);
      await decide(replay.bed, ask);
    }
    const over = await replay.bed.over(run.run_id);
    expect(over, over.error).toMatchObject(ends);
    const { items: due } = await replay.bed.api.asks.list({ run_id: run.run_id, delivery: 'due' });
    expect(due.filter(({ status }) => status === 'answered' || status === 'declined')).toEqual([]);
  });

  it('is replayed for every transcript', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});

it('a model that Codex cannot reach is reported once, and once more when it responds', async () => {
  const params = { error: { message: 'Reconnecting...', additionalDetails: 'Connection failed' }, willRetry: true };
  const error = { from: 'agent' as const, message: { method: 'error', params } };
  const isWork = ({ message: { method, params } }: Line) =>
    method === 'item/started' && (params as { item: { type: string } }).item.type !== 'userMessage';
  const away = (lines: Line[]) => lines.toSpliced(lines.findIndex(isWork), 0, error, error);
  const run = await replay.start('command-allowed', CASES['command-allowed']?.input, away, 'model-away');
  await replay.bed.decide(await replay.next(run), { behavior: 'allow' });
  const { outputs } = await replay.bed.over(run.run_id);
  expect(outputs.filter(({ type }) => type === 'status').map(({ text }) => text)).toEqual([
    'The model cannot be reached (Connection failed). The agent tries again by itself.',
    'The model responds again.',
  ]);
});
