// An attached Codex, against what its real daemon said: each transcript was recorded from the pinned binary. A person
// decides as then; whatever Holdpoint says to the daemon must be what it said then, to the letter.
// Covers: src/agents/codex/lineage.ts
import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';
import type { Line } from '../transcript-player.ts';
import { playAttached, transcripts } from './attach-test-bed.ts';
import { ATTACHED, shows } from './transcript-cases.ts';

const server = serverForAll();
let bed: TestBed;
beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
});

const pending = async () => (await bed.api.asks.list({ status: 'pending' })).items;
const due = async () => (await bed.api.asks.list({ delivery: 'due' })).items;

describe('an attached Codex, played again', () => {
  it.each(Object.entries(ATTACHED))('%s', async (name, { asks, isAnsweredThere }) => {
    const person = async () => {
      for (const [shown, decide] of asks) {
        const ask = await bed.until(async () => (await pending()).find((ask) => shows(ask, shown)));
        await decide(bed, ask);
      }
    };
    const player = await playAttached(bed, name, person, undefined, () =>
      bed.until(async () => ((await due()).length === 0 ? true : undefined)),
    );
    expect(player.problem).toBeUndefined();
    if (isAnsweredThere) await bed.until(async () => ((await pending()).length === 0 ? true : undefined));
    expect(await pending()).toEqual([]);
    expect(await due()).toEqual([]);
  });

  it('leaves to its own prompt what it does not say enough of', async () => {
    const said = 'Codex asked for something that cannot be shown, so it can only be answered at its own prompt';
    const isSaid = async () => {
      const { items } = await bed.api.runs.list({ limit: 500 });
      const runs = await Promise.all(items.map(({ run_id }) => bed.api.runs.get(run_id)));
      return runs.some(({ outputs }) => outputs.some(({ text }) => text?.startsWith(said))) ? true : undefined;
    };
    const player = await playAttached(bed, 'own-tool', () => bed.until(isSaid), withOtherCall);
    expect(player.problem).toBeUndefined();
    expect(await pending()).toEqual([]);
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in ATTACHED))).toEqual([]);
  });
});

/** Up to the first request, with another call under way than the one that is asked for; Holdpoint looks once more. */
function withOtherCall(lines: Line[]): Line[] {
  const place = lines.findIndex(({ message }) => message.method === 'mcpServer/elicitation/request');
  const before = lines.slice(0, place + 1);
  const ids = before.map(({ from, message }) => (from === 'holdpoint' ? Number(message.id ?? 0) : 0));
  const id = Math.max(...ids) + 1;
  const { threadId } = Object(before.at(-1)?.message.params) as { threadId?: string };
  const params = { threadId, excludeTurns: true, initialTurnsPage: { limit: 1, itemsView: 'full' } };
  const other = before.map((line, i) =>
    i === place ? line : (JSON.parse(JSON.stringify(line).replaceAll('"x":"one"', '"x":"another"')) as Line),
  );
  return [
    ...other,
    { from: 'holdpoint', message: { jsonrpc: '2.0', id, method: 'thread/resume', params } },
    { from: 'agent', message: { id, result: { initialTurnsPage: { data: [] } } } },
  ];
}
