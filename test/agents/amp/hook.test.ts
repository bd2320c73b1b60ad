// The delegate of a connected Amp, called as Amp calls it: 0 only for an explicit allow of exactly that call.
// Covers: src/agents/kit/hook-approval.ts, src/agents/amp/agent.ts, src/agents/amp/program.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionOf } from '../../../src/agents/amp/hook.ts';
import type { ApprovalOutcome } from '../../../src/client/outcome.ts';
import type { AskView } from '../../../src/core/views.ts';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { connectedAmpForAll } from './test-bed.ts';

const amp = connectedAmpForAll();
const thread = (id: string) => ({ AMP_THREAD_ID: id });
const oneAsk = async (id: string) => (await amp.bed.pending(`amp-own-${id}`, 1))[0] as AskView;

describe('the delegate of Amp', () => {
  it('exits with 0 for an allow, and shows the command with the folder it runs in', async () => {
    const { ended } = amp.delegate('Bash', { cmd: 'deploy prod' }, thread('T-1'));
    const ask = await oneAsk('T-1');
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'deploy prod' },
      work_folder: amp.folder,
    });
    await amp.bed.decide(ask, { behavior: 'allow' });
    expect(await ended).toEqual({ code: 0, said: '' });
    expect(await amp.bed.api.asks.get(ask.ask_id)).toMatchObject({ delivery: { state: 'delivered' } });
    expect((await amp.bed.api.runs.get(ask.run_id)).status).toBe('completed');
  });

  it('exits with 2 for a denial, with the reason on standard error', async () => {
    const { ended } = amp.delegate('edit_file', { path: '/srv/a', new_str: 'x' }, thread('T-2'));
    const ask = await oneAsk('T-2');
    expect(ask.request).toMatchObject({ tool_name: 'edit_file', input: { path: '/srv/a', new_str: 'x' } });
    await amp.bed.decide(ask, { behavior: 'deny', reason: 'not on a Friday' });
    expect(await ended).toEqual({ code: 2, said: 'The person said no: not on a Friday\n' });
  });

  it('rejects a command that the person changed, and names the one that is allowed', async () => {
    const { ended } = amp.delegate('shell_command', { command: 'rm -rf a' }, thread('T-3'));
    await amp.bed.decide(await oneAsk('T-3'), { behavior: 'allow', updated_input: { command: 'rm a' } });
    expect(await ended).toMatchObject({ code: 2, said: expect.stringContaining('{"command":"rm a"}') });
  });

  it('keeps parallel calls of a thread apart', async () => {
    const [one, two] = ['one', 'two'].map((cmd) => amp.delegate('Bash', { cmd }, thread('T-4')));
    for (const ask of await amp.bed.pending('amp-own-T-4', 2)) {
      const isOne = JSON.stringify(ask.request).includes('"one"');
      await amp.bed.decide(ask, { behavior: isOne ? 'allow' : 'deny' });
    }
    expect([(await one?.ended)?.code, (await two?.ended)?.code]).toEqual([0, 2]);
  });

  it('asks also in a run that a worker hosts and in an editor, whose other hooks are silent', async () => {
    const marks = { HOLDPOINT_RUN_ID: 'run_1', HOLDPOINT_PROXY: 'some' };
    const { ended } = amp.delegate('Bash', { cmd: 'ls' }, { ...thread('T-5'), ...marks });
    await amp.bed.decide(await oneAsk('T-5'), { behavior: 'allow' });
    expect(await ended).toMatchObject({ code: 0 });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('that is ended with %s withdraws its ask', async (signal) => {
    const id = `T-${signal}`;
    const { kill, ended } = amp.delegate('Bash', { cmd: 'ls' }, thread(id));
    const { ask_id } = await oneAsk(id);
    kill(signal);
    expect((await ended).code).not.toBe(0);
    await amp.bed.until(async () => ((await amp.bed.api.asks.get(ask_id)).status === 'pending' ? undefined : true));
    expect(await amp.bed.api.asks.get(ask_id)).toMatchObject({ status: 'cancelled' });
  });

  it.each(['bash', '__proto__', 'mcp__x__"], "Bash', '../../Bash', '$(touch made)'])(
    'asks for the tool %j under that name, and no rule about another tool decides it',
    async (name) => {
      const thread = `T-name-${Buffer.from(name).toString('hex')}`;
      await amp.bed.api.sessions.create({
        session_id: `amp-own-${thread}`,
        agent: 'external',
        agent_id: 'amp',
        labels: ['attached'],
        rules: [{ tool: 'Bash', action: 'allow' }],
      });
      const { ended } = amp.delegate(name, { cmd: 'ls' }, { AMP_THREAD_ID: thread });
      const ask = await oneAsk(thread);
      expect(ask.request).toMatchObject({ tool_name: name, input: { cmd: 'ls' } });
      await amp.bed.decide(ask, { behavior: 'deny' });
      expect((await ended).code).toBe(2);
    },
  );

  it('rejects arguments that are larger than the server takes, and a name that is too long', async () => {
    const cmd = 'x'.repeat(40 * 1024 * 1024);
    expect((await amp.delegate('Bash', { cmd }, thread('T-7')).ended).code).toBe(2);
    expect((await amp.delegate('x'.repeat(300), { cmd: 'ls' }, thread('T-7')).ended).code).toBe(2);
  });

  it.each(['Bash\n', ' Bash', ' '])('rejects a tool whose name %j would be trimmed to another one', async (name) => {
    expect((await amp.delegate(name, { cmd: 'ls' }, thread('T-7')).ended).code).toBe(2);
    expect(await amp.bed.pending('amp-own-T-7', 0)).toEqual([]);
  });

  it('rejects arguments that can be read in two ways, or not at all', async () => {
    const both = '{"cmd":"ls","command":"rm -rf a"}';
    for (const input of ['{"cmd":"ls","cmd":"rm -rf a"}', both, 'no JSON', '[]', ''])
      expect((await amp.delegate('Bash', input, thread('T-6')).ended).code).toBe(2);
    expect((await amp.delegate('Bash', {}, { ...thread('T-6'), AGENT_TOOL_NAME: '' }).ended).code).toBe(2);
  });

  it('rejects when no server can be reached, its settings name none, or the token is of another one', async () => {
    const nowhere = `${amp.settingsFile}-nowhere`;
    const rule = { tool: '*', action: 'delegate', to: '/x/holdpoint-amp-delegate' };
    const to = (holdpoint?: object) =>
      writeFileSync(nowhere, JSON.stringify({ 'amp.permissions': [{ ...rule, ...(holdpoint && { holdpoint }) }] }));
    to({ url: 'http://127.0.0.1:9', data: amp.server.data });
    const env = { AMP_SETTINGS_FILE: nowhere };
    expect(await amp.delegate('Bash', { cmd: 'ls' }, env).ended).toMatchObject({
      code: 2,
      said: expect.stringContaining('could not be asked for here'),
    });
    to();
    expect((await amp.delegate('Bash', { cmd: 'ls' }, env).ended).code).toBe(2);
    const data = temporaryFolder();
    writeFileSync(join(data, 'operator.token'), 'of another server');
    to({ url: amp.server.url, data });
    expect((await amp.delegate('Bash', { cmd: 'ls' }, env).ended).code).toBe(2);
  });

  it('waits for its answer over kill -9 of the server', async () => {
    const { ended } = amp.delegate('Bash', { cmd: 'ls' }, thread('T-8'));
    const ask = await oneAsk('T-8');
    const { port } = new URL(amp.server.url);
    await amp.server.end('SIGKILL');
    const args = ['--no-worker', '--port', port];
    amp.server = await startHoldpoint({ via: 'main', args, data: amp.server.data });
    await amp.bed.decide(ask, { behavior: 'allow' });
    expect(await ended).toMatchObject({ code: 0 });
  });
});

it.each(['declined', 'expired', 'cancelled', 'failed'] as const)('an approval that is %s is a rejection', (status) => {
  const outcome = { status, allowed: false, input: {}, reason: 'why' } as unknown as ApprovalOutcome;
  expect(decisionOf(outcome, {})).toMatchObject({ decision: 'reject' });
});
