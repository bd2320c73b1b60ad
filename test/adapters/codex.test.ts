// Codex's translation, against what the real Codex said: each transcript was recorded from a run of the pinned binary.
// A person decides as then; whatever Holdpoint says to Codex must be what it said then, to the letter.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASES } from './codex-cases.ts';
import { CodexReplay, transcripts } from './codex-replay.ts';

let replay: CodexReplay;
beforeAll(async () => {
  replay = await CodexReplay.open();
});
afterAll(() => replay.close());

describe('Codex, played again', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input = {}, asks, ends = { status: 'completed' } }) => {
    const run = await replay.start(name, input);
    for (const [shown, decide] of asks) {
      const { ask, run: ended } = await replay.next(run);
      if (!ask) throw new Error(`the run is ${ended?.status} without the ask: ${ended?.error}`);
      expect(ask.request).toMatchObject(shown);
      await decide(replay.stage, ask);
    }
    const over = await replay.stage.over(run.run_id);
    expect(over, over.error).toMatchObject(ends);
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});
