// Rules over HTTP: the list with sources, and which rule would decide a call, part by part.
// Covers: src/gateway/rule-sources.ts, src/server/routes/rules.ts, src/core/rule-views.ts
import { expect, it } from 'vitest';
import { Rules, sourced } from '../../src/core/rule.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import type { RuleListView, RuleTestView } from '../../src/core/rule-views.ts';
import { allow, decide, newSession, ok, raiseApproval, refusal, showAsk, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const rules = Rules.parse([
  { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' },
  { tool: 'Bash', matches: { command: 'git *' }, action: 'allow' },
]);
const server = serverForAll({ rules: compileRules(sourced('organisation', 'rules.json', rules)) });
const test = (body: object) =>
  ok(server.post<RuleTestView>('/v1/rules/test', { tool_name: 'Bash', input: { command: 'git log; ls' }, ...body }));

it('lists the rules of every source in the order in which they are tried, page by page', async () => {
  const { session_id } = await newSession(server, { rules: [{ tool: 'Read', action: 'allow' }] });
  const list = await ok(server.get<RuleListView>(`/v1/rules?session_id=${session_id}`));
  expect([...new Set(list.rules.map(({ source }) => source))]).toEqual(['builtin', 'organisation', 'session']);
  expect(list.total).toBe(list.rules.length);
  const { body, headers } = await server.get<RuleListView>(`/v1/rules?session_id=${session_id}&limit=2`);
  const next = /<(.*)>/.exec(String(headers.link))?.[1];
  expect(body.rules).toEqual(list.rules.slice(0, 2));
  expect((await ok(server.get<RuleListView>(String(next)))).rules).toEqual(list.rules.slice(2, 4));
  await refusal(server.get('/v1/rules?session_id=none'), 404, 'session_not_found');
});

it('says which rule decides which part, with the rules and grants of a session and of a project', async () => {
  expect(await test({})).toMatchObject({
    decision: 'ask',
    explanation: 'no rule covers `ls` (part 2 of 2)',
    parts: [
      { text: 'git log', decision: 'allow', decided_by: { source: 'organisation', position: 2 } },
      { text: 'ls' },
    ],
  });
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const ask = await raiseApproval(server, run_id, { input: { command: 'ls' } });
  await ok(decide(server, run_id, allow(ask.ask_id, { always: {} })));
  expect(await test({ session_id })).toMatchObject({
    decision: 'allow',
    parts: [{}, { decided_by: { source: 'grant' } }],
  });
  expect(await test({ session_id, project_rules: [{ tool: '*', action: 'reject' }] })).toMatchObject({
    decision: 'reject',
    decided_by: { source: 'project', origin: '.holdpoint/rules.json' },
  });
});

it('has the reason of a rule in what is asked, and none where no rule applies', async () => {
  const { run_id } = await startRun(server, (await newSession(server)).session_id);
  const asked = await raiseApproval(server, run_id, { input: { command: 'git log; ls' } });
  expect(await showAsk(server, asked.ask_id)).toMatchObject({
    request: { asked_because: { why: 'no rule covers `ls` (part 2 of 2)' } },
  });
  expect((await raiseApproval(server, run_id, { input: { command: 'ls' } })).request).not.toHaveProperty(
    'asked_because',
  );
});
