// `holdpoint events` as a process against a real server.
// Covers: src/cli/text/event-text.ts
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/core/views.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

describe('events', PATIENT, () => {
  it('prints the events of a session or run, after a given one', async () => {
    const work = await bed.work('logged');
    await bed.client.runs.output(work.runId, { text: 'first words' });
    const { items } = await bed.client.events.ofSession('logged');
    const text = await bed.run(['events', '--session-id', 'logged']);
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(items.length);
    expect(text.stdout).toMatch(/logged output first words$/m);
    const json = await bed.run(['events', '--run-id', work.runId, '--json', '--after', String(items[1]?.seq)]);
    const seqs = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as EventView).seq);
    expect(seqs).toEqual(
      items.filter((e) => e.run_id === work.runId && e.seq > (items[1]?.seq ?? 0)).map((e) => e.seq),
    );
    expect((await bed.run(['events', '--after', 'yesterday'])).code).toBe(2);
    expect((await bed.run(['events', '--session-id', 'nowhere'])).code).toBe(3);
  });

  it('follows new events until Ctrl-C', async () => {
    const work = await bed.work('followed');
    const following = bed.start(['events', '--follow', '--session-id', 'followed']);
    await expect.poll(() => following.stdout(), { timeout: 60_000 }).toContain('accepted');
    await bed.client.runs.output(work.runId, { text: 'news' });
    await expect.poll(() => following.stdout(), { timeout: 60_000 }).toContain('news');
    following.child.kill('SIGINT');
    expect((await following.ended).code).toBe(0);
  });
});
