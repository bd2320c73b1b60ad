// Store suite: every record is returned exactly as it was stored, sparse or complete, and an update changes only its fields.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndedAsk } from '../../src/core/ask.ts';
import type { MaybePromise, Reader } from '../../src/core/ports.ts';
import type { KeyOf, RecordKind } from '../../src/core/records.ts';
import type { Run } from '../../src/core/run.ts';
import type { Skill } from '../../src/core/skill.ts';
import type { Bed } from './store.ts';
import {
  AWKWARD,
  approvalOf,
  clarificationOf,
  endedOf,
  keep,
  LATEST,
  messageOf,
  outputOf,
  questionOf,
  responseOf,
  runOf,
  sessionOf,
  tokenOf,
} from './store-samples.ts';

export function describeRecords(bed: Bed): void {
  const read = <T>(unit: (r: Reader) => MaybePromise<T>) => bed.store.read(unit);
  const get = <Kind extends RecordKind>(kind: Kind, ...key: KeyOf<Kind>) => read((r) => r.get(kind, ...key));

  describe('records', () => {
    it('stores sparse and complete sessions', async () => {
      const complete = sessionOf('s.2:x-y_z', {
        title: `title ${AWKWARD}`,
        workFolder: `folder ${AWKWARD}`,
        projectIds: ['a', AWKWARD],
        labels: ['gpu', 'os=linux'],
        channelIds: ['c'],
        parentSessionId: 's1',
        permissions: 'autonomous',
        taskId: '7',
        status: 'ended',
        createdAt: LATEST,
        updatedAt: LATEST - 1,
        endedAt: LATEST - 2,
        activeRunId: 'run_1',
        queuedCount: 1,
        pendingCount: 2,
        keptCount: 3,
        runCount: 4,
        lastMessage: `message ${AWKWARD}`,
        headSeq: 5,
        headHash: 'h',
      });
      await keep(bed.store, { sessions: [sessionOf('s1'), complete] });
      expect(await get('session', 's1')).toEqual(sessionOf('s1'));
      expect(await get('session', complete.id)).toEqual(complete);
      expect(await get('session', 'S1')).toBeUndefined();
    });

    it('updates the state of one session and of no other', async () => {
      await keep(bed.store, { sessions: [sessionOf('s1', { lastMessage: 'old', endedAt: 1 }), sessionOf('s2')] });
      const changed = sessionOf('s1', {
        status: 'ended',
        updatedAt: 9,
        activeRunId: 'r',
        queuedCount: 9,
        pendingCount: 8,
        keptCount: 7,
        runCount: 6,
        headSeq: 5,
        headHash: 'hh',
      });
      await bed.store.write((tx) => tx.update('session', changed));
      expect(await get('session', 's1')).toEqual(changed);
      expect(await get('session', 's2')).toEqual(sessionOf('s2'));
    });

    it('stores the partial state of a dispatch with its ask', async () => {
      const state = JSON.stringify({ text: AWKWARD, long: 'x'.repeat(1024 * 1024) });
      await bed.store.write((tx) => tx.insert('partialState', { askId: 'ask_1', state }));
      await bed.reopen();
      expect(await get('partialState', 'ask_1')).toEqual({ askId: 'ask_1', state });
      expect(await get('partialState', 'ask_2')).toBeUndefined();
    });

    it('stores one form per subtask of a session', async () => {
      const insert = (sessionId: string, subtaskId: string, askId: string) =>
        bed.store.write((tx) => tx.insert('form', { sessionId, subtaskId, askId }));
      expect(await insert('s1', '2', 'ask_1')).toBe(true);
      expect(await insert('s1', '2', 'ask_2')).toBe(false);
      expect(await insert('s1', '"2"', 'ask_3')).toBe(true);
      expect(await insert('s2', '2', 'ask_4')).toBe(true);
      expect(await get('form', 's1', '2')).toMatchObject({ askId: 'ask_1' });
      expect(await get('form', 's3', '2')).toBeUndefined();
    });

    it('finds the latest form of a session that a tool call displayed', async () => {
      const [s1, s2] = [sessionOf('s1'), sessionOf('s2')];
      const runs = [runOf('r1', 's1'), runOf('r2', 's1'), runOf('r3', 's2')];
      const forms = runs.map((run) => ({ ...questionOf(`ask_of_${run.id}`, run), toolCallId: 'call' }));
      const noForm = { ...questionOf('ask_plain', runs[1] as Run), toolCallId: 'plain' };
      await keep(bed.store, { sessions: [s1, s2], runs, asks: [...forms, noForm] });
      for (const { id: askId, runId: subtaskId, sessionId } of forms)
        await bed.store.write((tx) => tx.insert('form', { sessionId, subtaskId, askId }));
      expect(await read((r) => r.formOfCall('s1', 'call'))).toEqual(forms[1]);
      expect(await read((r) => r.formOfCall('s2', 'call'))).toEqual(forms[2]);
      expect(await read((r) => r.formOfCall('s1', 'plain'))).toBeUndefined();
      expect(await read((r) => r.formOfCall('s3', 'call'))).toBeUndefined();
    });

    it('stores skills with their zips, one per name, and finds them by name', async () => {
      const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
        id: `skl_${name}`,
        name,
        namespace: 'default',
        description: `description ${AWKWARD}`,
        version: undefined,
        sha256: 'd',
        size: 3,
        author: `author ${AWKWARD}`,
        sessionId: undefined,
        createdAt: 1,
        updatedAt: LATEST,
        ...more,
      });
      const [one, other] = [skill('a_b', { version: '1.0', sessionId: 's1' }), skill('axb')];
      for (const s of [one, other]) expect(await bed.store.write((tx) => tx.insert('skill', s))).toBe(true);
      await bed.store.write((tx) => tx.insert('skillArchive', { skillId: one.id, zip: 'emlw' }));
      expect(await bed.store.write((tx) => tx.insert('skill', { ...one, id: 'skl_taken' }))).toBe(false);
      expect(await get('skill', 'skl_taken')).toBeUndefined();
      const list = (name: string | undefined, isExact = false) =>
        read((r) => r.skills({ namespace: 'default', name, isExact, skip: 0, limit: 10 }));
      expect(await list(undefined)).toEqual([one, other]);
      expect(await list('A_B')).toEqual([one]);
      expect(await list('a_b', true)).toEqual([one]);
      expect(await list('A_B', true)).toEqual([]);
      expect(await list('%')).toEqual([]);
      const newer = { ...one, sha256: 'e', size: 4, updatedAt: 7 };
      await bed.store.write(async (tx) => {
        await tx.update('skill', newer);
        await tx.update('skillArchive', { skillId: one.id, zip: 'bmV3' });
      });
      expect(await get('skill', one.id)).toEqual(newer);
      expect(await get('skillArchive', one.id)).toMatchObject({ zip: 'bmV3' });
      await bed.store.write(async (tx) => {
        await tx.remove('skillArchive', one.id);
        await tx.remove('skill', one.id);
      });
      expect(await list(undefined)).toEqual([other]);
      expect(await get('skillArchive', one.id)).toBeUndefined();
    });

    it('stores and updates sparse and complete runs', async () => {
      const sparse = runOf('run_1', 's1');
      const complete = runOf('run_2', 's1', {
        agent: 'mock',
        kind: 'dispatch',
        status: 'running',
        input: { text: AWKWARD, deep: [{ a: null }], n: 1.5 },
        source: `source ${AWKWARD}`,
        actor: `actor ${AWKWARD}`,
        textPreview: `preview ${AWKWARD}`,
        submittedAt: LATEST,
        updatedAt: LATEST - 1,
        startedAt: LATEST - 2,
        finishedAt: LATEST - 3,
        error: `error ${AWKWARD}`,
        labels: ['gpu'],
        permissions: 'autonomous',
        outcome: 'needs_input',
        resumesRunId: 'run_1',
        carriesAskId: 'ask_9',
        subtaskId: '"x"',
        queueOrder: 12,
        outputCount: 3,
        clarification: clarificationOf('ask_8', { expiresAt: LATEST - 4 }),
        lease: { workerId: 'w', until: LATEST - 5 },
        leaseEpoch: 4,
        recovery: 'resume',
      });
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [sparse, complete] });
      expect(await get('run', 'run_1')).toEqual(sparse);
      expect(await get('run', 'run_2')).toEqual(complete);
      expect(await read((r) => r.carryingRun('ask_9'))).toEqual(complete);
      expect(await read((r) => r.clarificationRun('ask_8'))).toEqual(complete);
      expect(await read((r) => r.carryingRun('ask_8'))).toBeUndefined();
      expect(await read((r) => r.clarificationRun('ask_9'))).toBeUndefined();
      const freed = runOf('run_2', 's1', {
        ...complete,
        status: 'queued',
        lease: undefined,
        error: undefined,
        finishedAt: undefined,
      });
      await bed.store.write((tx) => tx.update('run', freed));
      expect(await get('run', 'run_2')).toEqual(freed);
      expect(await get('run', 'run_1')).toEqual(sparse);
    });

    it('stores asks of both kinds, their end and their delivery', async () => {
      const run = runOf('run_1', 's1');
      const question = questionOf('ask_q', run, { mode: 'form', expiresAt: LATEST });
      const approval = approvalOf('ask_a', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [question, approval] });
      expect(await get('ask', 'ask_q')).toEqual(question);
      expect(await get('ask', 'ask_a')).toEqual(approval);
      expect(await get('ask', 'ask_x')).toBeUndefined();

      const ended: EndedAsk = { ...endedOf(question, 'declined'), sealed: AWKWARD };
      expect(await bed.store.write((tx) => tx.endAsk(ended))).toBe(true);
      expect(await get('ask', 'ask_q')).toEqual(ended);
      expect(await get('ask', 'ask_a')).toEqual(approval);

      const delivered: EndedAsk = {
        ...ended,
        sealed: undefined,
        delivery: { state: 'undeliverable', attempts: 3, deliveredAt: LATEST, reason: AWKWARD },
      };
      await bed.store.write((tx) => tx.update('ask', delivered));
      expect(await get('ask', 'ask_q')).toEqual(delivered);
    });

    it('stores sparse and complete messages, tokens and responses', async () => {
      const message = messageOf('msg_1', 's1', { attempts: 2, ackedAt: LATEST, deadAt: 3, reason: AWKWARD });
      const token = tokenOf('tok_1', {
        kind: 'browser',
        scope: 'agent',
        sessionId: 's1',
        expiresAt: LATEST,
        revokedAt: 2,
      });
      const response = responseOf('scope 1', { created: true, createdAt: LATEST });
      await bed.store.write(async (tx) => {
        await tx.insert('message', message);
        await tx.insert('message', messageOf('msg_2', 's1'));
        await tx.insert('token', token);
        await tx.insert('token', tokenOf('tok_2'));
        await tx.insert('response', response);
        await tx.insert('response', responseOf('scope 2'));
      });
      expect(await get('message', 'msg_1')).toEqual(message);
      expect(await get('message', 'msg_2')).toEqual(messageOf('msg_2', 's1'));
      expect(await get('token', 'tok_1')).toEqual(token);
      expect(await read((r) => r.tokenByHash('hash of tok_2'))).toEqual(tokenOf('tok_2'));
      expect(await bed.store.write((tx) => tx.lockKey('scope 1'))).toEqual(response);
      expect(await bed.store.write((tx) => tx.lockKey('scope 2'))).toEqual(responseOf('scope 2'));
      expect(await bed.store.write((tx) => tx.lockKey('scope 3'))).toBeUndefined();

      const dead = messageOf('msg_2', 's1', { attempts: 3, deadAt: 4, reason: 'too old' });
      const revoked = tokenOf('tok_2', { revokedAt: 5, expiresAt: 6 });
      await bed.store.write(async (tx) => {
        await tx.update('message', dead);
        await tx.update('token', revoked);
      });
      expect(await get('message', 'msg_2')).toEqual(dead);
      expect(await get('message', 'msg_1')).toEqual(message);
      expect(await get('token', 'tok_2')).toEqual(revoked);
      expect(await get('token', 'tok_1')).toEqual(token);
    });

    it('stores sign-in links that are used once and deleted with time', async () => {
      const link = {
        hash: 'h1',
        scope: 'viewer',
        name: AWKWARD,
        createdAt: 1,
        expiresAt: LATEST,
        usedAt: undefined,
      } as const;
      const nameless = { ...link, hash: 'h2', name: undefined, expiresAt: 5 };
      await bed.store.write(async (tx) => {
        await tx.insert('signInLink', link);
        await tx.insert('signInLink', nameless);
        await tx.update('signInLink', { ...link, usedAt: 9 });
      });
      await bed.reopen();
      expect(await get('signInLink', 'h1')).toEqual({ ...link, usedAt: 9 });
      expect(await get('signInLink', 'h2')).toEqual(nameless);
      expect(await get('signInLink', 'h3')).toBeUndefined();
      expect(await bed.store.write((tx) => tx.forget('signInLink', 5))).toBe(1);
      expect(await get('signInLink', 'h2')).toBeUndefined();
    });

    it('stores one draft per ask and person, and deletes old ones and those whose author answered', async () => {
      const run = runOf('run_1', 's1');
      const asks = ['ask_1', 'ask_2', 'ask_3'].map((id) => questionOf(id, run));
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks });
      const draft = (askId: string, savedAt: number, revision = 1, savedBy = AWKWARD) => ({
        askId,
        revision,
        content: { justification: AWKWARD },
        savedAt,
        savedBy,
      });
      await bed.store.write(async (tx) => {
        await tx.save('draft', draft('ask_1', 10));
        await tx.save('draft', draft('ask_1', 11, 2));
        await tx.save('draft', draft('ask_1', 12, 1, 'mate'));
        for (const name of ['lead', 'mate', '%', 'l_ad']) await tx.save('draft', draft('ask_2', 12, 1, name));
        await tx.save('draft', draft('ask_3', LATEST));
        if (asks[1]) await tx.endAsk(endedOf(asks[1], 'answered', 'lead'));
        if (asks[2]) await tx.endAsk(endedOf(asks[2], 'cancelled'));
      });
      await bed.reopen();
      expect(await get('draft', 'ask_1', AWKWARD)).toEqual(draft('ask_1', 11, 2));
      expect(await get('draft', 'ask_1', 'mate')).toEqual(draft('ask_1', 12, 1, 'mate'));
      expect(await bed.store.write((tx) => tx.forget('draft', 10))).toBe(1);
      expect(await get('draft', 'ask_2', 'lead')).toBeUndefined();
      for (const name of ['mate', '%', 'l_ad'])
        expect(await get('draft', 'ask_2', name)).toEqual(draft('ask_2', 12, 1, name));
      expect(await bed.store.write((tx) => tx.forget('draft', 11))).toBe(1);
      expect(await get('draft', 'ask_1', AWKWARD)).toBeUndefined();
      expect(await get('draft', 'ask_3', AWKWARD)).toEqual(draft('ask_3', LATEST));
      await bed.store.write((tx) => tx.remove('draft', 'ask_3', 'mate'));
      expect(await get('draft', 'ask_3', AWKWARD)).toBeDefined();
      await bed.store.write((tx) => tx.remove('draft', 'ask_3', AWKWARD));
      expect(await get('draft', 'ask_3', AWKWARD)).toBeUndefined();
    });

    it('returns the newest hundred outputs of a run in their order', async () => {
      await bed.store.write(async (tx) => {
        for (let n = 1; n <= 103; n++) await tx.insert('output', outputOf('run_1', n));
        await tx.insert('output', outputOf('run_2', 1));
      });
      const kept = await read((r) => r.outputs('run_1'));
      expect(kept.map((o) => o.position)).toEqual(Array.from({ length: 100 }, (_, i) => i + 4));
      expect(kept.at(-1)).toEqual(outputOf('run_1', 103));
    });

    it('keeps the first value of a fact', async () => {
      expect(await bed.store.write((tx) => tx.keepFact('name', AWKWARD))).toBe(AWKWARD);
      expect(await bed.store.write((tx) => tx.keepFact('name', 'other'))).toBe(AWKWARD);
      expect(await bed.store.write((tx) => tx.keepFact('another', 'other'))).toBe('other');
    });

    it('deletes stored responses up to an instant and returns their number', async () => {
      await bed.store.write(async (tx) => {
        for (const at of [1, 2, 3]) await tx.insert('response', responseOf(`at ${at}`, { createdAt: at }));
      });
      expect(await bed.store.write((tx) => tx.forget('response', 2))).toBe(2);
      expect(await bed.store.write((tx) => tx.forget('response', 2))).toBe(0);
      expect(await bed.store.write((tx) => tx.lockKey('at 2'))).toBeUndefined();
      expect(await bed.store.write((tx) => tx.lockKey('at 3'))).toBeDefined();
    });

    it('stores any JSON that an agent may send', async () => {
      let n = 0;
      const json = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }), { maxKeys: 4 });
      await fc.assert(
        fc.asyncProperty(json, async (input) => {
          n += 1;
          const run = runOf(`run_${n}`, 's', { input });
          const ask = approvalOf(`ask_${n}`, run, { input });
          await keep(bed.store, { runs: [run], asks: [ask] });
          const kept = [(await get('run', run.id))?.input, (await get('ask', ask.id))?.content];
          expect(JSON.stringify(kept)).toBe(JSON.stringify([run.input, ask.content]));
        }),
        { numRuns: 40 },
      );
    });

    it('returns every record after the store was closed and opened again, and continues its numbering', async () => {
      const run = runOf('run_1', 's1', { status: 'running' });
      const [open, done] = [questionOf('ask_1', run), approvalOf('ask_2', run)];
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [open, done] });
      await bed.store.write(async (tx) => {
        const session = await tx.lockSession('s1');
        if (!session) throw new Error('the session is gone');
        await tx.endAsk(endedOf(done));
        await tx.appendEvents(session, [{ type: 'accepted', data: { text: AWKWARD } }], 3);
        await tx.update('session', session);
        await tx.keepFact('a', 'b');
      });
      const all = async (r: Reader) => ({
        owners: [await r.get('session', 's1'), await r.get('run', 'run_1')],
        asks: [await r.get('ask', 'ask_1'), await r.get('ask', 'ask_2')],
        events: await r.events({}, 0, 9),
        lastSeq: await r.lastSeq(),
      });
      const before = await read(all);
      const last = (await read((r) => r.asks({}, { after: 0, limit: 9 }))).at(-1);
      await bed.reopen();
      expect(await read(all)).toEqual(before);
      expect(await bed.store.write((tx) => tx.keepFact('a', 'c'))).toBe('b');

      await bed.store.write(async (tx) => {
        const session = await tx.lockSession('s1');
        if (!session) throw new Error('the session is gone');
        await tx.insert('ask', questionOf('ask_3', run));
        await tx.appendEvents(session, [{ type: 'queued', data: {} }], 4);
        await tx.update('session', session);
      });
      const later = await read((r) => r.asks({}, { after: last?.at, limit: 9 }));
      expect(later.map((p) => p.value.id)).toEqual(['ask_3']);
      const [, second] = await read((r) => r.events({}, 0, 9));
      expect(second?.seq).toBeGreaterThan(before.lastSeq);
      expect(second).toMatchObject({ sessionSeq: 2, prevHash: before.events[0]?.hash });
    });
  });
}
