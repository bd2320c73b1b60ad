// Suggestions of rules over the API: read from the past, changing nothing.
import { expect, it } from 'vitest';
import type { RuleSuggestionsView } from '../../src/core/rule-suggestion.ts';
import { allow, decide, newSession, ok, raiseApproval, refusal, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('suggests a rule for what people always allowed, and goes on asking', async () => {
  const { session_id } = await newSession(server, { work_folder: '/shop' });
  const { run_id } = await startRun(server, session_id);
  for (let n = 0; n < 3; n++) {
    const ask = await raiseApproval(server, run_id, { input: { command: 'npm test' } });
    expect(ask.status).toBe('pending');
    await ok(decide(server, run_id, allow(ask.ask_id)));
  }
  const show = (query = '') => server.get<RuleSuggestionsView>(`/v1/rules/suggestions${query}`);
  expect(await ok(show())).toMatchObject({ suggestions: [], looked_at: 3, at_least: 10, is_complete: true });
  const { suggestions } = await ok(show('?at_least=3'));
  expect(suggestions).toMatchObject([
    { asked: 3, people: ['operator'], work_folders: ['/shop'], rule: { matches: { command: ['npm test'] } } },
  ]);
  await refusal(show('?at_least=2'), 400, 'invalid_request');
  expect((await raiseApproval(server, run_id, { input: { command: 'npm test' } })).status).toBe('pending');
});
