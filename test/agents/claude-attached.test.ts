// A person's own Claude Code at its terminal, pointed at Holdpoint by `holdpoint connect claude`: it asks at both places,
// the first answer counts and both settle. The real binary in a real pseudo-terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint } from '../support/process.ts';
import { endTerminals, hasPty, KEYS, openPty, type Pty } from '../support/pty.ts';
import { Stage } from '../worker/stage.ts';
import { claude, claudeVersion } from './binaries.ts';
import { ClaudeRig } from './claude-rig.ts';

let rig: ClaudeRig;
let server: Holdpoint;
let stage: Stage;
beforeAll(async () => {
  rig = await ClaudeRig.open({ concurrency: 0 });
  server = await startHoldpoint({ via: 'main' });
  stage = new Stage(server.url, server.token);
  await holdpoint('connect', 'claude', '--yes');
});
afterAll(async () => {
  endTerminals();
  await endEverything();
  await rig.close();
});
afterEach(() => expect(rig.model.others).toEqual([]));

async function holdpoint(...command: string[]): Promise<string> {
  const env = { HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token };
  const ended = spawnHoldpoint({ command, env, data: server.data, via: 'main' });
  expect(await ended.exited, ended.stderr()).toEqual({ code: 0, signal: null });
  return ended.stdout();
}

/** Claude Code at its terminal, in a folder that it trusts. */
function atTerminal(prompt: string): { terminal: Pty; folder: string } {
  const folder = rig.folder();
  const config = join(rig.root, 'home', '.claude', '.claude.json');
  const known = existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : {};
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const settings = {
    ...known,
    hasCompletedOnboarding: true,
    theme: 'dark',
    numStartups: 5,
    customApiKeyResponses: { approved: ['sk-ant-fake-000'.slice(-20)], rejected: [] },
    projects: { ...known.projects, [folder]: trusted },
  };
  mkdirSync(join(config, '..'), { recursive: true });
  writeFileSync(config, JSON.stringify(settings));
  const command = [claude ?? 'claude', '--permission-mode', 'manual', prompt];
  return { terminal: openPty({ command, env: process.env, columns: 120, rows: 40, cwd: folder }), folder };
}

const touch = (name: string, id: string) => ({
  tool: 'Bash',
  input: { command: `touch ${name}`, description: 'd' },
  id,
});
const pending = () => stage.until(async () => (await stage.api.asks.list({ status: 'pending' })).items[0]);
const ended = (ask: AskView) =>
  stage.until(async () => {
    const now = await stage.api.asks.get(ask.ask_id);
    return now.answer ? now : undefined;
  });

describe.skipIf(!claude || !hasPty)(`Claude Code ${claudeVersion}: attached`, () => {
  it('goes on when the call is allowed here, and says whose call it is', async () => {
    rig.model.play([[touch('x', 'toolu_t1')], [{ text: 'Made it.' }]]);
    const { terminal, folder } = atTerminal('make x');
    const ask = await pending();
    expect(ask).toMatchObject({
      kind: 'approval',
      tool_call_id: 'toolu_t1',
      request: { tool_name: 'Bash', input: { command: 'touch x' } },
    });
    expect(await stage.api.sessions.get(ask.session_id)).toMatchObject({
      agent_id: 'claude',
      title: 'make x',
      work_folder: folder,
    });
    await stage.decide(ask, { behavior: 'allow' });
    await terminal.shows('Made it.');
    expect(rig.files({ folder })).toEqual(['x']);
    expect((await ended(ask)).delivery.state).toBe('delivered');
    await stage.until(async () => ((await stage.api.runs.get(ask.run_id)).status === 'completed' ? true : undefined));
    await terminal.end();
  });

  it('is told the reason of a denial, and the answer to a question', async () => {
    const question = {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'r' },
        { label: 'Blue', description: 'b' },
      ],
    };
    rig.model.play([
      [touch('x', 'toolu_t2')],
      [{ tool: 'AskUserQuestion', input: { questions: [question] }, id: 'toolu_t3' }],
      [{ text: 'Blue, then.' }],
    ]);
    const { terminal, folder } = atTerminal('make x');
    await stage.decide(await pending(), { behavior: 'deny', reason: 'ask about the colour first' });
    const ask = await stage.until(async () => {
      const now = await pending();
      return now.kind === 'question' ? now : undefined;
    });
    await stage.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
    await terminal.shows('Blue, then.');
    expect(rig.files({ folder })).toEqual([]);
    expect(rig.result('toolu_t2')?.text).toContain('ask about the colour first');
    expect(rig.result('toolu_t3')?.text).toContain('"Which colour?"="Blue"');
    await terminal.end();
  });

  it('settles here when the person at the terminal was first', async () => {
    rig.model.play([[touch('x', 'toolu_t4')], [{ text: 'Made it.' }]]);
    const { terminal, folder } = atTerminal('make x');
    const ask = await pending();
    await terminal.shows('Do you want to proceed?');
    terminal.type(KEYS.enter);
    await terminal.shows('Made it.');
    expect(rig.files({ folder })).toEqual(['x']);
    expect(await ended(ask)).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', justification: 'settled at the terminal of Claude Code' },
    });
    await expect(stage.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ code: 'approval_state_conflict' });
    await terminal.end();
  });

  it('keeps several of them apart, and takes back what one asked that was ended', async () => {
    rig.model.play([[touch('mine', 'toolu_t5')], [{ text: 'First done.' }]], 'FIRSTONE');
    rig.model.play([[touch('mine', 'toolu_t6')], [{ text: 'Second done.' }]], 'SECONDONE');
    const one = atTerminal('FIRSTONE');
    const first = await pending();
    const two = atTerminal('SECONDONE');
    const both = await stage.until(async () => {
      const { items } = await stage.api.asks.list({ status: 'pending' });
      return items.length === 2 ? items : undefined;
    });
    const second = both.find((ask) => ask.ask_id !== first.ask_id) as AskView;
    expect(second.session_id).not.toBe(first.session_id);
    await stage.decide(second, { behavior: 'allow' });
    await two.terminal.shows('Second done.');
    expect([rig.files(one), rig.files(two)]).toEqual([[], ['mine']]);
    await one.terminal.end();
    expect(await ended(first)).toMatchObject({ status: 'cancelled' });
    await two.terminal.end();
    expect(rig.files(one)).toEqual([]);
  });

  it('is not asked twice where Holdpoint hosts it', async () => {
    rig.model.play([[touch('hosted', 'toolu_t8')], [{ text: 'Done.' }]]);
    const folder = rig.folder();
    const session = await stage.api.sessions.create({ agent: 'claude', work_folder: folder });
    const run = await stage.api.runs.start(session.session_id, { input: { text: 'go' } });
    const [ask] = await stage.pending(run.session_id);
    expect((await stage.api.asks.list({ status: 'pending' })).items).toHaveLength(1);
    if (ask) await stage.decide(ask, { behavior: 'allow' });
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(rig.files({ folder })).toEqual(['hosted']);
    expect((await stage.api.asks.list({ session_id: run.session_id })).items).toHaveLength(1);
  });

  it('asks at its terminal alone while no server is there, and allows nothing by that', async () => {
    rig.model.play([[touch('x', 'toolu_t7')], [{ text: 'Made it.' }]]);
    await server.end('SIGKILL');
    const { terminal, folder } = atTerminal('make x');
    await terminal.shows('Do you want to proceed?');
    expect(rig.files({ folder })).toEqual([]);
    terminal.type(KEYS.enter);
    await terminal.shows('Made it.');
    expect(rig.files({ folder })).toEqual(['x']);
    await terminal.end();
  });
});
