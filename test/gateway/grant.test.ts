// Grants over HTTP: given with "always", previewed, counted, revoked, and what they never cover.
// Covers: src/gateway/grant.ts, src/server/routes/grants.ts, src/core/policy.ts
import { describe, expect, it } from 'vitest';
import type { GrantPreview, GrantView } from '../../src/core/grant.ts';
import { Rules, sourced } from '../../src/core/rule.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import type { AskView } from '../../src/core/views.ts';
import {
  allow,
  decide,
  deny,
  eventsOfRun,
  eventsOfSession,
  type Fields,
  newSession,
  ok,
  raiseApproval,
  refusal,
  resolutions,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const rules = Rules.parse([
  { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' },
  { tool: 'Bash', matches: { command: 'git push *' }, action: 'ask' },
]);
const server = serverForAll({ rules: compileRules(sourced('organisation', 'rules.json', rules)) });

const begun = async (fields: Fields = {}) =>
  (await startRun(server, (await newSession(server, fields)).session_id)).run_id;
const bash = (runId: string, command: string, fields: Fields = {}) =>
  raiseApproval(server, runId, { input: { command }, ...fields });
const always = async (runId: string, ask: AskView, wanted: Fields = {}) => {
  await ok(decide(server, runId, allow(ask.ask_id, { always: wanted })));
  const grants = await ok(server.get<GrantView[]>(`/v1/grants?session_id=${ask.session_id}`));
  return grants.at(-1) as GrantView;
};
const preview = (askId: string, wanted: Fields = {}) =>
  ok(server.post<GrantPreview>('/v1/grants/preview', { request_id: askId, always: wanted }));

describe('always', () => {
  it('lets the next identical call pass without asking, in the name of the grant, with both in the log', async () => {
    const runId = await begun();
    const grant = await always(runId, await bash(runId, 'git push origin main'));
    expect(grant).toMatchObject({
      scope: 'session',
      tool: 'Bash',
      matches: { command: ['git push origin main'] },
      uses: 0,
    });
    const passed = await bash(runId, 'git push origin main');
    expect(passed).toMatchObject({
      status: 'answered',
      answer: { behavior: 'allow', answered_by: `grant:${grant.grant_id}`, surface: 'system' },
    });
    expect(passed.answer?.justification).toContain(`grant ${grant.grant_id}`);
    expect(await bash(runId, 'git push origin other')).toMatchObject({ status: 'pending' });
    expect(await bash(await begun(), 'git push origin main')).toMatchObject({ status: 'pending' });
    const events = (await eventsOfRun(server, runId)).filter(({ type }) => type.startsWith('grant.'));
    expect(events.map(({ type, data }) => [type, (data as GrantView).grant_id, (data as GrantView).uses])).toEqual([
      ['grant.given', grant.grant_id, undefined],
      ['grant.used', grant.grant_id, 1],
    ]);
  });

  it('covers no call with another argument, and is refused where an argument cannot be named', async () => {
    const runId = await begun();
    const input = { command: 'make a', workdir: '/srv/safe', description: 'Builds' };
    await always(runId, await raiseApproval(server, runId, { input }), { matches: { command: ['make *'] } });
    const again = (more: Fields) => raiseApproval(server, runId, { input: { ...input, ...more } });
    expect(await again({ command: 'make b', description: 'Builds more' })).toMatchObject({ status: 'answered' });
    for (const other of [{ workdir: '/etc' }, { dangerouslyDisableSandbox: true }, { env: { PATH: '/tmp' } }])
      expect(await again(other)).toMatchObject({ status: 'pending' });
    const deploy = await raiseApproval(server, runId, { tool_name: 'Deploy', input: { env: 'staging', n: 3 } });
    await refusal(decide(server, runId, allow(deploy.ask_id, { always: {} })), 400, 'grant_refused');
    expect(await preview(deploy.ask_id)).toMatchObject({ covers_request: false, suggestions: [{}] });
  });

  it('is named in the answer, and repeating the answer gives no second grant', async () => {
    const runId = await begun();
    const ask = await bash(runId, 'make');
    const grant = await always(runId, ask);
    await ok(decide(server, runId, allow(ask.ask_id, { always: {} })));
    const [shown] = await ok(server.get<AskView[]>(`/v1/asks?session_id=${ask.session_id}&status=answered`));
    expect(shown?.answer?.grant_id).toBe(grant.grant_id);
    expect(await ok(server.get<GrantView[]>(`/v1/grants?session_id=${ask.session_id}`))).toHaveLength(1);
    await refusal(decide(server, runId, allow(ask.ask_id)), 409, 'approval_state_conflict');
  });

  it('goes with allow and the input as it was asked, and nothing is decided otherwise', async () => {
    const runId = await begun();
    const ask = await bash(runId, 'make');
    await refusal(decide(server, runId, deny(ask.ask_id, { always: {} })), 400, 'grant_refused');
    const edited = allow(ask.ask_id, { always: {}, updated_input: { command: 'ls' } });
    await refusal(decide(server, runId, edited), 400, 'grant_refused');
    await refusal(
      decide(server, runId, allow(ask.ask_id, { always: { matches: { command: 'ls *' } } })),
      400,
      'grant_refused',
    );
    expect(await ok(server.get(`/v1/asks/${ask.ask_id}`))).toMatchObject({ status: 'pending' });
  });

  it.each(['ls "', 'ls \u202e', 'eval $X'])('is refused for what a person cannot see or tell: %j', async (command) => {
    const runId = await begun();
    const ask = await bash(runId, command);
    const wanted = { matches: { command: [command.replaceAll('\\', '\\\\'), 'ls *'] } };
    await refusal(decide(server, runId, allow(ask.ask_id, { always: wanted })), 400, 'grant_refused');
  });

  it('with a pattern covers every part or nothing, never hidden characters, and nothing that a rule rejects', async () => {
    const runId = await begun();
    await always(runId, await bash(runId, 'make all'), { matches: { command: ['make *', 'rm *'] } });
    for (const command of ['make', 'make a && make b'])
      expect([(await bash(runId, command)).status, command]).toEqual(['answered', command]);
    for (const command of ['make; ls', 'sudo make', 'make > x', 'make $X', 'make "', 'make \u200b', 'make \u00a0x'])
      expect([(await bash(runId, command)).status, command]).toEqual(['pending', command]);
    expect(await bash(runId, 'make; rm x')).toMatchObject({ answer: { behavior: 'deny' } });
  });

  it('ends after its uses, counted once each although calls are repeated and concurrent', async () => {
    const runId = await begun();
    const grant = await always(runId, await bash(runId, 'make'), { uses: 3 });
    const twice = { tool_call_id: 'the-same-call' };
    await bash(runId, 'make', twice);
    await bash(runId, 'make', twice);
    const asks = await Promise.all(Array.from({ length: 8 }, () => bash(runId, 'make')));
    expect(asks.filter(({ status }) => status === 'answered')).toHaveLength(2);
    expect(await ok(server.get(`/v1/grants?session_id=${grant.session_id}`))).toMatchObject([
      { uses: 3, most_uses: 3, is_usable: false },
    ]);
  });

  it('ends with its time', async () => {
    const runId = await begun();
    await always(runId, await bash(runId, 'make'), { expires_after_ms: 1000 });
    expect(await bash(runId, 'make')).toMatchObject({ status: 'answered' });
    server.advance(1000);
    expect(await bash(runId, 'make')).toMatchObject({ status: 'pending' });
  });

  it('ends with its revocation at the next call, once, in the log', async () => {
    const runId = await begun();
    const grant = await always(runId, await bash(runId, 'make'));
    expect(await bash(runId, 'make')).toMatchObject({ status: 'answered' });
    const revoke = () => server.call<GrantView>('DELETE', `/v1/grants/${grant.grant_id}`);
    expect(await ok(revoke())).toMatchObject({ revoked_by: 'operator', is_usable: false });
    expect(await ok(revoke())).toMatchObject({ revoked_by: 'operator' });
    expect(await bash(runId, 'make')).toMatchObject({ status: 'pending' });
    const revoked = (await eventsOfSession(server, grant.session_id)).filter(({ type }) => type === 'grant.revoked');
    expect(revoked.map(({ data }) => data)).toEqual([{ grant_id: grant.grant_id, revoked_by: 'operator' }]);
    await refusal(server.call('DELETE', '/v1/grants/grt_unknown'), 404, 'grant_not_found');
  });

  it('for a project covers its other sessions in the same folder, and no other', async () => {
    const runId = await begun({ work_folder: '/srv/shop' });
    await always(runId, await bash(runId, 'make'), { scope: 'project' });
    expect(await bash(await begun({ work_folder: '/srv/shop' }), 'make')).toMatchObject({ status: 'answered' });
    expect(await bash(await begun({ work_folder: '/srv/other' }), 'make')).toMatchObject({ status: 'pending' });
    const elsewhere = { work_folder: '/srv/shop/sub' };
    expect(await bash(await begun({ work_folder: '/srv/shop' }), 'make', elsewhere)).toMatchObject({
      status: 'pending',
    });
    const bare = await begun();
    const ask = await bash(bare, 'make');
    await refusal(decide(server, bare, allow(ask.ask_id, { always: { scope: 'project' } })), 400, 'grant_refused');
  });

  it('for a person covers the sessions that this person started, and no other', async () => {
    const { token } = await server.makeToken('operator', undefined, { name: 'ana' });
    const own = await ok(server.post<{ session_id: string }>('/v1/sessions', { agent: 'external' }, { token }));
    const runId = (await startRun(server, own.session_id)).run_id;
    const ask = await bash(runId, 'make');
    const wanted = resolutions(allow(ask.ask_id, { always: { scope: 'person' } }));
    await refusal(server.post(`/v1/runs/${runId}/approvals`, wanted), 400, 'grant_refused');
    await ok(server.post(`/v1/runs/${runId}/approvals`, wanted, { token }));
    const other = await ok(server.post<{ session_id: string }>('/v1/sessions', { agent: 'external' }, { token }));
    expect(await bash((await startRun(server, other.session_id)).run_id, 'make')).toMatchObject({ status: 'answered' });
    expect(await bash(await begun(), 'make')).toMatchObject({ status: 'pending' });
  });
});

describe('the preview', () => {
  it('shows what would and would not have matched in this session, and stores nothing', async () => {
    const runId = await begun();
    for (const command of ['git log', 'git log', 'git log -p', 'git push', 'ls']) {
      const ask = await bash(runId, command);
      await ok(decide(server, runId, deny(ask.ask_id)));
    }
    const ask = await bash(runId, 'git log --stat');
    const shown = await preview(ask.ask_id, { matches: { command: 'git log *' } });
    expect(shown).toMatchObject({ covers_request: true, tool: 'Bash', looked_at: 6 });
    expect(shown.suggestions).toEqual([
      { command: ['git log --stat'] },
      { command: ['git log *'] },
      { command: ['git *'] },
    ]);
    const texts = (calls: GrantPreview['would_match']) => calls.map(({ text, calls }) => `${calls} ${text}`);
    expect(texts(shown.would_match)).toEqual(['1 git log --stat', '1 git log -p', '2 git log']);
    expect(texts(shown.would_not_match)).toEqual(['1 ls', '1 git push']);
    expect(await ok(server.get(`/v1/grants?session_id=${ask.session_id}`))).toEqual([]);
  });

  it('says what would be refused', async () => {
    const runId = await begun();
    const ask = await bash(runId, 'make');
    for (const command of ['*', 'ls *'])
      expect(await preview(ask.ask_id, { matches: { command } })).toMatchObject({
        covers_request: false,
        would_match: [],
      });
  });

  it('matches exactly the calls that pass once the grant is given', async () => {
    const commands = [
      'make',
      'make all',
      'make; ls',
      'make > x',
      'A=1 make',
      '/usr/bin/make',
      'make\nmake b',
      'make "',
      'make $X',
      'xargs make',
      'rm x; make',
    ];
    const [past, future] = [await begun(), await begun()];
    for (const command of commands) await bash(past, command);
    const matches = { command: 'make *' };
    const { would_match } = await preview((await bash(past, 'make z')).ask_id, { matches });
    await always(future, await bash(future, 'make z'), { matches });
    const passing = [];
    for (const command of commands)
      if ((await bash(future, command)).answer?.behavior === 'allow') passing.push(command);
    expect(
      would_match
        .map(({ text }) => text)
        .filter((text) => text !== 'make z')
        .sort(),
    ).toEqual(passing.sort());
  });
});

it('always in a thread goes with a post that names its prompt, and never with a plain text', async () => {
  const post = (ask: AskView, text: string, prompt?: Fields) =>
    server.post(`/v1/threads/thr_${ask.session_id}/items`, {
      content: [{ type: 'text', text }],
      ...(prompt && { metadata: { prompt: { prompt_id: ask.ask_id, ...prompt } } }),
    });
  const plain = await bash(await begun(), 'make');
  await ok(post(plain, 'always'));
  expect(await ok(server.get(`/v1/asks/${plain.ask_id}`))).toMatchObject({ answer: { behavior: 'deny' } });
  const runId = await begun();
  const ask = await bash(runId, 'make');
  await refusal(post(ask, 'no', { always: {} }), 400, 'grant_refused');
  await ok(post(ask, 'yes', { always: { uses: 1 } }));
  expect(await bash(runId, 'make')).toMatchObject({ status: 'answered', answer: { behavior: 'allow' } });
  expect(await bash(runId, 'make')).toMatchObject({ status: 'pending' });
});
