// Twenty sessions of the real Claude Code, all of them waiting in their processes at once: each answer goes to the one that
// asked.
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { testBedForAll } from './claude-test-bed.ts';

const SESSIONS = 20;

const testBed = testBedForAll();

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: ${SESSIONS} sessions at once`, () => {
  it('keeps their answers apart, and leaves nothing running', { timeout: 240_000 }, async () => {
    const numbers = Array.from({ length: SESSIONS }, (_, n) => n);
    for (const n of numbers) {
      const call = { tool: 'Bash', input: { command: 'touch mine', description: 'd' }, id: `toolu_many_${n}` };
      testBed.model.play([[call], [{ text: `Session ${n} is done.` }]], `TASK-${n}-END`);
    }
    const runs = await Promise.all(numbers.map((n) => testBed.start({ text: `TASK-${n}-END` })));
    const asks = await Promise.all(runs.map((run) => testBed.ask(run)));
    expect(new Set(asks.map((ask) => ask.mode))).toEqual(new Set(['blocking']));
    for (const run of runs) expect(testBed.processes(run).length).toBeGreaterThan(0);
    expect(asks.map((ask) => ask.tool_call_id)).toEqual(numbers.map((n) => `toolu_many_${n}`));
    expect((await testBed.bed.api.asks.list({ status: 'pending', limit: 500 })).items).toHaveLength(SESSIONS);

    // Answered the other way round: every third is denied, the others do something of their own.
    for (const n of numbers.toReversed()) {
      const updated_input = { command: `touch answer-${n}`, description: 'd' };
      const decision =
        n % 3 === 0
          ? { behavior: 'deny' as const, reason: `no to ${n}` }
          : { behavior: 'allow' as const, updated_input };
      const ask = asks[n];
      if (ask) await testBed.bed.decide(ask, decision);
    }
    const over = await Promise.all(runs.map((run) => testBed.over(run)));
    expect(over.map((run) => run.status)).toEqual(numbers.map(() => 'completed'));
    for (const [n, run] of runs.entries()) {
      expect(testBed.files(run)).toEqual(n % 3 === 0 ? [] : [`answer-${n}`]);
      expect(over[n]?.outputs.at(-1)?.text).toBe(`Session ${n} is done.`);
      const { text, isError } = testBed.result(`toolu_many_${n}`) ?? {};
      expect(isError).toBe(n % 3 === 0);
      if (isError) expect(text).toBe(`A person denied this: no to ${n}`);
      expect(testBed.processes(run)).toEqual([]);
    }
    expect(testBed.model.told).toHaveLength(2 * SESSIONS);
    expect(testBed.model.others).toEqual([]);
  });
});
