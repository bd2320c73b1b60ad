// Codex's translation, against what the real Codex said: each transcript was recorded from a run of the pinned binary.
// A person decides as then; whatever Holdpoint says to Codex must be what it said then, to the letter.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { CASES, shows } from './transcript-cases.ts';
import { CodexReplay, transcripts } from './transcript-replay.ts';

let replay: CodexReplay;
beforeAll(async () => {
  replay = await CodexReplay.open();
});
afterAll(() => replay.close());

/** The one of the open asks that shows this, which is then no longer among them. */
function taken(open: AskView[], shown: object): AskView {
  const place = open.findIndex((ask) => shows(ask, shown));
  const [ask] = place < 0 ? [] : open.splice(place, 1);
  if (!ask) throw new Error(`nothing open shows ${JSON.stringify(shown)}: ${JSON.stringify(open)}`);
  return ask;
}

describe('Codex, played again', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input = {}, asks, together, ends = { status: 'completed' } }) => {
    const run = await replay.start(name, input);
    const open = together ? await replay.stage.pending(run.session_id, together) : undefined;
    for (const [shown, decide] of asks) {
      const ask = open ? taken(open, shown) : await replay.next(run);
      expect(ask.request).toMatchObject(shown);
      await decide(replay.stage, ask);
    }
    const over = await replay.stage.over(run.run_id);
    expect(over, over.error).toMatchObject(ends);
    const { items: due } = await replay.stage.api.asks.list({ run_id: run.run_id, delivery: 'due' });
    expect(due.filter(({ status }) => status === 'answered' || status === 'declined')).toEqual([]);
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});
