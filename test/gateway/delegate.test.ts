// Approvals that a rule delegates: pending until the delegate has decided, decided in its name, and asked whenever it fails.
// Covers: src/gateway/delegate.ts, src/core/delegate.ts
import { describe, expect, it } from 'vitest';
import type { ConsultDelegate, DelegateCall, Verdict } from '../../src/core/delegate.ts';
import { Rules, sourced } from '../../src/core/rule.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import {
  allow,
  callId,
  decide,
  eventsOfSession,
  eventually,
  newSession,
  ok,
  raiseApproval,
  refusal,
  showAsk,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const rules = Rules.parse([{ tool: 'Deploy', action: 'delegate', to: 'decide-deploys' }]);
const calls: DelegateCall[] = [];
let verdict: () => Promise<Verdict>;
const delegates: ConsultDelegate = (call) => {
  calls.push(call);
  return verdict();
};
const server = serverForAll({ rules: compileRules(sourced('organisation', 'rules.json', rules)), delegates });
const says = (decision: Verdict['decision'], reason = 'because') => {
  verdict = async () => ({ decision, reason });
};

const begun = async () =>
  (await startRun(server, (await newSession(server, { work_folder: '/srv/shop' })).session_id)).run_id;
const deploy = (runId: string, fields = {}) =>
  raiseApproval(server, runId, { tool_name: 'Deploy', input: { target: 'prod' }, ...fields });

describe('a delegate', () => {
  it('is told the call, and its allow and reject are answers in its name with the rule as the reason', async () => {
    const runId = await begun();
    says('allow', 'green');
    const ask = await deploy(runId);
    const why = 'rule 1 of rules.json (Deploy → delegate) delegates `Deploy`';
    expect(ask).toMatchObject({
      status: 'pending',
      request: { asked_because: { why, delegate_to: 'decide-deploys' } },
    });
    await eventually(async () => (await showAsk(server, ask.ask_id)).status).toBe('answered');
    expect(calls.at(-1)).toEqual({
      to: 'decide-deploys',
      agent: 'external',
      session_id: ask.session_id,
      request_id: ask.ask_id,
      tool_name: 'Deploy',
      input: { target: 'prod' },
      work_folder: '/srv/shop',
    });
    expect((await showAsk(server, ask.ask_id)).answer).toMatchObject({
      behavior: 'allow',
      answered_by: 'delegate:decide-deploys',
      surface: 'system',
      justification: `${why}: green`,
    });
    says('reject', 'not on Fridays');
    const denied = await deploy(runId);
    await eventually(async () => (await showAsk(server, denied.ask_id)).answer).toMatchObject({
      behavior: 'deny',
      reason: 'not on Fridays',
    });
  });

  it('that asks or fails leaves the approval to a person, and the log says so', async () => {
    const runId = await begun();
    const failing = [
      [async () => ({ decision: 'ask', reason: 'x' }) as const, { reason: 'x', has_failed: false }],
      [() => Promise.reject(new Error('broken')), { reason: 'broken', has_failed: true }],
    ] as const;
    for (const [one, told] of failing) {
      const done = Promise.withResolvers<void>();
      verdict = () => {
        done.resolve();
        return one();
      };
      const ask = await deploy(runId);
      await done.promise;
      expect(await showAsk(server, ask.ask_id)).toMatchObject({ status: 'pending' });
      const logged = async () =>
        (await eventsOfSession(server, ask.session_id)).find(
          ({ type, ask_id }) => type === 'rule.delegated' && ask_id === ask.ask_id,
        )?.data;
      await eventually(logged).toMatchObject({
        to: 'decide-deploys',
        decision: 'ask',
        why: 'rule 1 of rules.json (Deploy → delegate) delegates `Deploy`',
        ...told,
      });
      await ok(decide(server, runId, allow(ask.ask_id)));
    }
  });

  it('that comes after a person changes nothing', async () => {
    const runId = await begun();
    const held = Promise.withResolvers<Verdict>();
    verdict = () => held.promise;
    const ask = await deploy(runId);
    await ok(decide(server, runId, allow(ask.ask_id)));
    held.resolve({ decision: 'reject', reason: 'late' });
    says('ask');
    await deploy(runId);
    expect((await showAsk(server, ask.ask_id)).answer).toMatchObject({ behavior: 'allow', answered_by: 'operator' });
  });

  it('is consulted once for a call that is repeated', async () => {
    const runId = await begun();
    says('ask');
    const before = calls.length;
    const tool_call_id = callId();
    await deploy(runId, { tool_call_id });
    await deploy(runId, { tool_call_id });
    expect(calls.length - before).toBe(1);
  });

  it('is named by the rules of the server only: a session with one is refused, one of a project is not consulted', async () => {
    const rule = { tool: 'Build', action: 'delegate', to: 'anything' };
    await refusal(server.post('/v1/sessions', { agent: 'external', rules: [rule] }), 400, 'invalid_request');
    const before = calls.length;
    const ask = await raiseApproval(server, await begun(), { tool_name: 'Build', input: {}, project_rules: [rule] });
    expect(ask.status).toBe('pending');
    expect(calls.length).toBe(before);
  });
});
