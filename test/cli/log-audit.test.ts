// The audit of a server whose database was tampered with while it was stopped: every way in which a log or its tables can be
// forged, what is reported of it, and which of them take a witness to be seen.
// Covers: src/cli/row-check.ts, src/core/log-replay.ts, src/core/row-audit.ts, src/core/witness.ts, src/node/ed25519.ts
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditServer } from '../../src/cli/log-audit.ts';
import { createClient } from '../../src/client/client.ts';
import type { EventView } from '../../src/core/views.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { decide, deny, type Held, held, ok, raiseApproval, startRun } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import { Tampering } from './tampering.ts';

vi.setConfig({ testTimeout: 60_000 });

let server: Server;
/** Held and denied before the first checkpoint; after it; after the second, so that nothing signs it. */
let first: Held;
let second: Held;
let tail: Held;
/** The checkpoints, as a witness has them. */
let witness: string[];

async function denied(): Promise<Held> {
  const asked = await held(server, { kind: 'approval' });
  await ok(decide(server, asked.runId, deny(asked.ask.ask_id, { reason: 'not today' })));
  return asked;
}

beforeEach(async () => {
  server = await openServer();
  first = await denied();
  await signLog(server.ports);
  second = await denied();
  await signLog(server.ports);
  tail = await denied();
  witness = (await events('audit.checkpoint')).map(({ data }) => data);
});
afterEach(() => server.close());

const events = async (type: string) =>
  (await server.ports.store.read((r) => r.events({}, 0, 500))).filter((event) => event.type === type);

async function faults(witnesses: string[][] = []): Promise<string[]> {
  const client = createClient({ url: await server.url(), token: server.token });
  return (await auditServer(client, { witnesses })).faults;
}

/** What the audit reports after the file was changed. */
async function tampered(change: (file: Tampering) => void, witnesses?: string[][]): Promise<string[]> {
  const { sealer } = server.ports;
  await server.stop();
  const file = new Tampering(server.folder);
  try {
    change(file);
  } finally {
    file.close();
  }
  await server.open();
  expect(server.ports.sealer.publicKey).toBe(sealer.publicKey);
  return faults(witnesses);
}

const claimOf = (file: Tampering, { sessionId }: Pick<Held, 'sessionId'>) => {
  const claim = file.events().find((event) => event.sessionId === sessionId && event.type === 'ask.claimed');
  if (!claim) throw new Error('nobody decided');
  return claim;
};
const startOf = (file: Tampering, at: number) => file.checkpoints()[at]?.seq ?? 0;
const cutAfter = (file: Tampering, seq: number) => {
  file.run('DELETE FROM events WHERE seq > ?', seq);
  file.relink();
};

it('reports nothing of a log that nobody touched, with and without its witness', async () => {
  expect(await faults()).toEqual([]);
  expect(await faults([witness])).toEqual([]);
  expect(await tampered(() => {}, [witness])).toEqual([]);
});

it('keeps up with a server that is at work while its rows are compared', async () => {
  const { run_id } = await startRun(server, (await denied()).sessionId);
  const busy = (async () => {
    for (let i = 0; i < 30; i++) await raiseApproval(server, first.runId);
  })();
  for (let i = 0; i < 5; i++) expect(await faults()).toEqual([]);
  await busy;
  expect(run_id).not.toBe('');
  expect(await faults()).toEqual([]);
});

describe('finding 11: the tampering of the security review', () => {
  it('with a signed event is detected', async () => {
    const found = await tampered((file) => file.edit(claimOf(file, first), 'not today', 'why not'));
    expect(found[0]).toMatch(new RegExp(`^session ${first.sessionId}: event \\d+ was altered$`));
  });

  it('with a signed event and its whole chain is detected', async () => {
    const found = await tampered((file) => {
      file.edit(claimOf(file, first), 'not today', 'why not');
      file.relink();
    });
    expect(found[0]).toMatch(new RegExp(`^session ${first.sessionId}: event \\d+ is not the one that was signed$`));
  });

  it('by deleting an event is detected', async () => {
    const found = await tampered((file) => file.run('DELETE FROM events WHERE seq = ?', claimOf(file, first).seq));
    expect(found[0]).toMatch(new RegExp(`^session ${first.sessionId}: event \\d+ follows \\d+$`));
  });

  it('by hiding the events of sessions from their readers is detected', async () => {
    const found = await tampered((file) => file.run('UPDATE listed_through SET seq = (SELECT MAX(seq) FROM events)'));
    expect(found).toContainEqual(
      expect.stringMatching(
        new RegExp(`^sessions row ${first.sessionId}: 0 events are found by its id, its log has \\d+$`),
      ),
    );
  });

  it('by deleting a session with its rows is detected', async () => {
    const found = await tampered((file) => {
      for (const table of ['events', 'asks', 'runs'])
        file.run(`DELETE FROM ${table} WHERE session_id = ?`, first.sessionId);
      file.run('DELETE FROM sessions WHERE id = ?', first.sessionId);
    });
    expect(found).toContain(`session ${first.sessionId} is missing`);
  });

  it('by cutting off everything after the last checkpoint is detected, heads and rows put right', async () => {
    await ok(server.post(`/v1/asks/${first.ask.ask_id}/delivered`));
    const found = await tampered((file) => {
      cutAfter(file, startOf(file, 1));
      for (const table of ['asks', 'runs']) file.run(`DELETE FROM ${table} WHERE session_id = ?`, tail.sessionId);
      file.run('DELETE FROM sessions WHERE id = ?', tail.sessionId);
      const before = file.events().findLast(({ sessionId }) => sessionId === first.sessionId)?.at ?? 0;
      file.run('UPDATE sessions SET updated_at = ? WHERE id = ?', before, first.sessionId);
      file.run(`UPDATE asks SET delivery = 'due', delivered_at = NULL WHERE id = ?`, first.ask.ask_id);
    });
    expect(found).toEqual([
      `sessions row ${first.sessionId}: head_mac: the end of this log was not written by the server`,
    ]);
  });

  it('by cutting off events after the last checkpoint is detected by the rows that they explain', async () => {
    const found = await tampered((file) => cutAfter(file, startOf(file, 1)));
    expect(found).toContain(`asks row ${tail.ask.ask_id}: the log has nothing of it`);
    expect(found).toContain(`sessions row ${tail.sessionId}: the log has nothing of it`);
  });

  it.each([
    ['an earlier checkpoint', 0],
    ['before any checkpoint', undefined],
  ])('by cutting back to %s, heads put right, is detected', async (_, at) => {
    const found = await tampered((file) => cutAfter(file, at === undefined ? startOf(file, 0) - 1 : startOf(file, at)));
    expect(found).toContain('sessions row system: head_mac: the end of this log was not written by the server');
    expect(found).toContain(`asks row ${second.ask.ask_id}: the log has nothing of it`);
  });

  it('in events that nothing signs yet is detected, chain and heads put right', async () => {
    const found = await tampered((file) => {
      file.edit(claimOf(file, tail), 'not today', 'why not');
      file.run(`UPDATE asks SET answer = replace(answer, 'not today', 'why not') WHERE id = ?`, tail.ask.ask_id);
      file.relink();
    });
    expect(found).toEqual([
      `sessions row ${tail.sessionId}: head_mac: the end of this log was not written by the server`,
    ]);
  });

  it('in events that nothing signs yet stays detected after the session has gone on', async () => {
    await tampered((file) => {
      file.edit(claimOf(file, tail), 'not today', 'why not');
      file.relink();
    });
    await startRun(server, tail.sessionId);
    await signLog(server.ports);
    expect(await faults()).toContain(
      `sessions row ${tail.sessionId}: head_mac: the end of this log was not written by the server`,
    );
  });

  it('with the order of neighbours in two sessions is detected', async () => {
    const found = await tampered((file) => {
      const log = file.events();
      const at = log.findIndex(
        (event, i) => i > 0 && event.sessionId === first.sessionId && log[i - 1]?.sessionId === 'system',
      );
      const [one, other] = [log[at - 1]?.seq ?? 0, log[at]?.seq ?? 0];
      for (const [from, to] of [
        [one, -1],
        [other, one],
        [-1, other],
      ] as const)
        file.run('UPDATE events SET seq = ? WHERE seq = ?', to, from);
    });
    expect(found).toEqual([expect.stringMatching(/^the checkpoint at event \d+ signed \d+ events in another order/)]);
  });

  it('with the asks table alone is detected: another decision, another author, another command', async () => {
    const { ask_id } = first.ask;
    const found = await tampered((file) => {
      file.run(`UPDATE asks SET answer = replace(answer, '"deny"', '"allow"') WHERE id = ?`, ask_id);
      file.run(`UPDATE asks SET answer = replace(answer, '"operator"', '"mate"') WHERE id = ?`, second.ask.ask_id);
      file.run(`UPDATE asks SET content = replace(content, 'rm -rf', 'ls') WHERE id = ?`, tail.ask.ask_id);
    });
    expect(found).toEqual([
      expect.stringMatching(`^asks row ${ask_id}: answer is .*, the log says something else$`),
      expect.stringMatching(`^asks row ${second.ask.ask_id}: answer is .*, the log says something else$`),
      expect.stringMatching(`^asks row ${tail.ask.ask_id}: content is .*, the log says something else$`),
    ]);
  });

  it('with the tokens table is detected: a token added, one that may do more, and one with another secret', async () => {
    const viewer = await server.makeToken('viewer');
    const other = await server.makeToken('viewer');
    const found = await tampered((file) => {
      const columns = 'kind, name, labels, is_built_in, person, created_at, expires_at, revoked_at, session_id';
      const copied = `SELECT 'tok_mine', 'operator', 'hash of mine', ${columns} FROM tokens WHERE id = ?`;
      file.run(`INSERT INTO tokens (id, scope, hash, ${columns}) ${copied}`, viewer.token_id);
      file.run(`UPDATE tokens SET scope = 'operator' WHERE id = ?`, viewer.token_id);
      file.run(`UPDATE tokens SET hash = 'another' WHERE id = ?`, other.token_id);
    });
    expect(found).toEqual([
      `tokens row ${viewer.token_id}: scope is "operator", the log says "viewer"`,
      expect.stringMatching(new RegExp(`^tokens row ${other.token_id}: hash is `)),
      'tokens row tok_mine: the log has nothing of it',
    ]);
  });

  it('by somebody with every key is detected by a witness, and by nothing else', async () => {
    const { sealer } = server.ports;
    const forge = (file: Tampering) => {
      file.edit(claimOf(file, first), 'not today', 'why not');
      file.run(`UPDATE asks SET answer = replace(answer, 'not today', 'why not') WHERE id = ?`, first.ask.ask_id);
      file.signAgain(sealer);
      file.sealAgain(sealer);
    };
    expect(await tampered(forge)).toEqual([]);
    expect(await faults([witness])).toEqual([
      expect.stringMatching(/^line 1 of the witness: the checkpoint through event \d+, .* is not in this log/),
      expect.stringMatching(/^line 2 of the witness: /),
    ]);
    expect(await faults([witness.slice(1)])).toHaveLength(1);
  });

  it('by putting back an older copy of the whole file is detected by a witness, and by nothing else', async () => {
    const copy = join(server.folder, 'copy.db');
    await server.stop();
    copyFileSync(join(server.folder, 'holdpoint.db'), copy);
    await server.open();
    await signLog(server.ports);
    const later = (await events('audit.checkpoint')).map(({ data }) => data);
    expect(later).toHaveLength(3);
    const found = await tampered((file) => {
      file.close();
      for (const end of ['-wal', '-shm']) rmSync(join(server.folder, `holdpoint.db${end}`), { force: true });
      copyFileSync(copy, join(server.folder, 'holdpoint.db'));
      Object.assign(file, { close: () => {} });
    });
    expect(found).toEqual([]);
    expect(await faults([witness])).toEqual([]);
    expect(await faults([later])).toEqual([
      expect.stringMatching(/^line 3 of the witness: .* which was cut off or rewritten$/),
    ]);
  });

  it('that deletes every checkpoint and seal is detected by a witness, and by nothing else', async () => {
    const found = await tampered((file) => {
      file.edit(claimOf(file, first), 'not today', 'why not');
      file.run(`UPDATE asks SET answer = replace(answer, 'not today', 'why not') WHERE id = ?`, first.ask.ask_id);
      file.run(`DELETE FROM events WHERE type = 'audit.checkpoint'`);
      file.relink();
      file.run('UPDATE sessions SET head_mac = NULL');
      const last = file.events().findLast(({ sessionId }) => sessionId === 'system')?.at ?? 0;
      file.run('UPDATE sessions SET updated_at = ? WHERE id = ?', last, 'system');
    });
    expect(found).toEqual([]);
    expect(await faults([witness])).toEqual([
      expect.stringMatching(/^line 1 of the witness: .* which was cut off or rewritten$/),
      expect.stringMatching(/^line 2 of the witness: /),
    ]);
  });

  it('that leaves an event without readable JSON is named, and the server still lists its log', async () => {
    const found = await tampered((file) =>
      file.run(`UPDATE events SET data = '{"by":' WHERE seq = ?`, claimOf(file, first).seq),
    );
    const { session_seq, session_id } = (
      await ok(server.get<EventView[]>(`/v1/sessions/${first.sessionId}/events`))
    ).find(({ data }) => data.unreadable === '{"by":') as EventView;
    expect(session_id).toBe(first.sessionId);
    expect(found).toContain(`session ${first.sessionId}: event ${session_seq} was altered`);
  });

  it.each([
    ['letters of an escape', (data: string) => data.replace('\\u001b', '\\u001B')],
    ['a blank', (data: string) => data.replace('"deny"', ' "deny"')],
    ['a key twice', (data: string) => data.replace('"behavior":"deny"', '"behavior":"allow","behavior":"deny"')],
    ['the data twice', (data: string) => `{"behavior":"allow"},"data":${data}`],
  ])('that only spells an event in another way is detected: %s', async (_, spelled) => {
    const { runId, ask, sessionId } = await held(server, { kind: 'approval' });
    await ok(decide(server, runId, deny(ask.ask_id, { reason: 'not \u001b today' })));
    const found = await tampered((file) => {
      const { seq, data } = claimOf(file, { sessionId });
      expect(spelled(data)).not.toBe(data);
      file.run('UPDATE events SET data = ? WHERE seq = ?', spelled(data), seq);
    });
    expect(found).toContainEqual(expect.stringMatching(`^session ${sessionId}: event \\d+ was altered$`));
  });

  it('that lets an event seem to be of another session is detected', async () => {
    const found = await tampered((file) => {
      const { seq } = claimOf(file, first);
      file.run('UPDATE events SET session_id = ? WHERE seq = ?', `${first.sessionId}","more":"`, seq);
    });
    expect(found.join()).toContain(first.sessionId);
  });

  it.each(['audit.checkpoint', 'audit.key'])(
    'that leaves a signed statement without readable JSON is named, and nothing is signed after it: %s',
    async (type) => {
      await server.gateway.rotateAuditKey();
      const signed = await events('audit.checkpoint');
      const [damaged] = (await events(type)).slice(-1);
      const found = await tampered((file) => file.run(`UPDATE events SET data = '{' WHERE seq = ?`, damaged?.seq ?? 0));
      expect(found).toContain(`session system: event ${damaged?.sessionSeq} was altered`);
      await denied();
      await expect(signLog(server.ports)).rejects.toThrow(`Event ${damaged?.seq} (${type}) of the log is damaged`);
      expect(await events('audit.checkpoint')).toHaveLength(signed.length);
    },
  );

  it('with the witness itself is detected', async () => {
    const [line = ''] = witness;
    expect(await faults([[line.replace('"events":', '"events":1')], ['no JSON'], ['{}']])).toEqual(
      Array(3).fill('line 1 of the witness is not a signed checkpoint'),
    );
  });
});
