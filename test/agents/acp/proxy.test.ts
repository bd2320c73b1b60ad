// An editor, played by the client of the protocol's SDK, works with an ACP agent through `holdpoint acp`: what the agent asks is
// asked in both, the first answer counts, and the agent gets exactly one.
// Covers: src/agents/acp/editor-sessions.ts, src/agents/kit/editor-proxy.ts, src/boot/editor-proxy.ts
// Covers: src/cli/commands/acp.ts
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, root, startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { closeEditor, openEditor } from './editor-test-bed.ts';

/** With a separator of lines that ends no message. */
const PROMPT = 'tidy\u2028up';
const AGENT = join(root, 'test', 'support', 'planned-acp.mjs');
let server: Holdpoint;
let bed: TestBed;
let made = 0;
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await startHoldpoint({ via: 'main' });
  bed = new TestBed(server.url, server.token);
});
afterEach(async () => {
  for (const child of children.splice(0)) await closeEditor(child);
});
afterAll(() => endEverything());

/** Opens a session with the agent through the proxy and prompts it. */
function edit(messages: object[][], { url = server.url, data = server.data } = {}) {
  made += 1;
  const folder = join(temporaryFolder(), 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(messages));
  const session = `editor-session-of-test-${made}`;
  const argv = [process.execPath, AGENT, `--session=${session}`];
  const env = { PATH: process.env.PATH, HOME: folder, HOLDPOINT_DATA: data };
  const editor = openEditor({ argv, folder, url, env, prompt: PROMPT });
  children.push(editor.child);
  const file = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  return {
    ...editor,
    folder,
    oneAsk: async (at = bed) => (await at.pending(`acp-own-${session}`, 1))[0] as AskView,
    outcomes: () => file('outcomes.txt').trim().split('\n'),
    file,
    tell: (name: string) => writeFileSync(join(folder, name), ''),
  };
}

const command = { id: 'call_1', command: 'touch made' };
const selected = (optionId: string) => JSON.stringify({ outcome: 'selected', optionId });
const ask = ({ ask_id }: Pick<AskView, 'ask_id'>, at = bed) => at.api.asks.get(ask_id);

describe('an agent in an editor', () => {
  it('takes the answer of the editor, and the ask is withdrawn', async () => {
    const { shown, oneAsk, choose, turn, outcomes, file, folder } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    expect(open.request).toMatchObject({ tool_name: 'Bash', input: { command: 'touch made' }, editable: false });
    expect(await bed.api.sessions.get(open.session_id)).toMatchObject({ work_folder: folder, agent_id: 'acp' });
    await choose('allow_once');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outcomes()).toEqual([selected('once')]);
    expect(file('received.txt')).toContain(PROMPT);
    expect(file('made')).toBe('');
    await bed.until(async () => ((await ask(open)).status === 'pending' ? undefined : true));
    expect(await ask(open)).toMatchObject({ status: 'cancelled' });
    await expect(bed.decide(open, { behavior: 'deny' })).rejects.toMatchObject({ status: 409 });
    expect(await bed.over(open.run_id)).toMatchObject({ status: 'completed' });
  });

  it('takes the answer from here, and the prompt of the editor ends; its late answer changes nothing', async () => {
    const { shown, oneAsk, choose, turn, promptEnded, outcomes, folder } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    await bed.decide(open, { behavior: 'deny', reason: 'not now' });
    await promptEnded;
    await choose('allow_once');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outcomes()).toEqual([selected('no')]);
    expect(existsSync(join(folder, 'made'))).toBe(false);
    await bed.until(async () => ((await ask(open)).delivery.state === 'delivered' ? true : undefined));
  });

  it('gets exactly one answer when both are given at once', async () => {
    const { shown, oneAsk, choose, turn, outcomes } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    await choose('allow_once');
    await bed.decide(open, { behavior: 'deny' }).catch((error) => expect(error).toMatchObject({ status: 409 }));
    await turn;
    expect(outcomes()).toHaveLength(1);
    const { status, delivery } = await bed.until(async () => {
      const now = await ask(open);
      return now.status === 'pending' || now.delivery.state === 'due' ? undefined : now;
    });
    // An answer that the agent did not get is never reported as delivered.
    const isTaken = outcomes()[0] === selected('no');
    expect(status === 'answered' && delivery.state === 'delivered').toBe(isTaken);
  });

  const questions = [{ id: 'call_q', questions: [{ question: 'Which?', options: ['Red', 'Blue'] }] }];

  it('has its form filled in from here', async () => {
    const { shown, oneAsk, turn, promptEnded, file } = edit([questions]);
    await shown;
    const open = await oneAsk();
    if (open.kind !== 'question') throw new Error('it is a question set');
    const blue = open.request.questions[0]?.options.find(({ label }) => label === 'Blue')?.id ?? '';
    await bed.answer(open, { question_id: 'question_0', selected_option_ids: [blue] });
    await promptEnded;
    await turn;
    expect(file('received.txt')).toContain('{"action":"accept","content":{"question_0":"Blue"}}');
  });

  it('has its form filled in by the editor', async () => {
    const { shown, oneAsk, fillIn, turn, file } = edit([questions]);
    await shown;
    const open = await oneAsk();
    fillIn({ question_0: 'Red' });
    await turn;
    expect(file('received.txt')).toContain('"question_0":"Red"');
    await bed.until(async () => ((await ask(open)).status === 'pending' ? undefined : true));
  });

  it('that withdraws its request has the ask withdrawn', async () => {
    const { shown, oneAsk, tell, turn } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    tell('settle-call_1');
    await bed.until(async () => ((await ask(open)).status === 'cancelled' ? true : undefined));
    await turn;
  });

  it('is gone with the editor, and its ask is withdrawn', async () => {
    const { shown, oneAsk, child } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await exited;
    expect(await ask(open)).toMatchObject({ status: 'cancelled' });
    expect((await bed.api.runs.get(open.run_id)).status).toBe('failed');
  });

  it('works as before when no server can be reached', async () => {
    const { shown, choose, turn, outcomes } = edit([[command]], { url: 'http://127.0.0.1:9' });
    await shown;
    await choose('allow_once');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outcomes()).toEqual([selected('once')]);
  });

  it('whose proxy was killed has its ask ended by the worker of the machine: a late answer is refused', async () => {
    const { shown, oneAsk, child } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    child.kill('SIGKILL');
    await bed.until(async () => ((await ask(open)).status === 'pending' ? undefined : true));
    const late = bed.decide(open, { behavior: 'allow' });
    await expect(late).rejects.toMatchObject({ status: 409, detail: expect.stringContaining('the agent is gone') });
    expect(await ask(open)).toMatchObject({ status: 'cancelled' });
    expect(await bed.api.runs.get(open.run_id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('gone'),
    });
  });

  it('whose proxy was killed has its ask ended by its server without a worker too, and with a server elsewhere by the next one', async () => {
    const alone = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
    const bedOfAlone = new TestBed(alone.url, alone.token);
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'operator.token'), alone.token);
    const killed = async (data: string) => {
      const { shown, oneAsk, child } = edit([[command]], { url: alone.url, data });
      await shown;
      const { ask_id } = await oneAsk(bedOfAlone);
      child.kill('SIGKILL');
      return () =>
        bedOfAlone.until(async () => ((await ask({ ask_id }, bedOfAlone)).status === 'cancelled' ? true : undefined));
    };
    const far = await killed(elsewhere);
    await (await killed(alone.data))();
    await edit([[command]], { url: alone.url, data: elsewhere }).shown;
    await far();
  });

  it('keeps its ask over kill -9 of the server: an answer after that reaches it, and the prompt of the editor ends', async () => {
    let own = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
    const { port } = new URL(own.url);
    const { shown, oneAsk, promptEnded, turn, outcomes, child } = edit([[command]], { url: own.url, data: own.data });
    await shown;
    const at = new TestBed(own.url, own.token);
    const open = await oneAsk(at);
    await own.end('SIGKILL');
    own = await startHoldpoint({ via: 'main', args: ['--no-worker', '--port', port], data: own.data });
    expect(await ask(open, at)).toMatchObject({ status: 'pending' });
    await at.decide(open, { behavior: 'allow' });
    await promptEnded;
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outcomes()).toEqual([selected('once')]);
    await closeEditor(child);
    expect(await ask(open, at)).toMatchObject({ delivery: { state: 'delivered' } });
  });

  it('that is started where no server ever ran works as before', async () => {
    const { shown, choose, turn, outcomes } = edit([[command]], { data: join(temporaryFolder(), 'none', 'yet') });
    await shown;
    await choose('allow_once');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outcomes()).toEqual([selected('once')]);
  });

  it('whose editor was killed ends with its asks', async () => {
    const { shown, oneAsk, child } = edit([[command]]);
    await shown;
    const open = await oneAsk();
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.stdout?.destroy();
    child.stdin?.destroy();
    await exited;
    expect(await ask(open)).toMatchObject({ status: 'cancelled' });
  });
});
