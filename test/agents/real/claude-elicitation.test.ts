// MCP servers of the real Claude Code ask the person something while they are called: it is asked here, the server gets
// what was accepted, or that it was not, and what nobody waits for any more is taken back.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { endEverything } from '../../support/process.ts';
import { endTerminals, hasPty, KEYS } from '../../support/pty.ts';
import { claude, claudeVersion } from './binaries.ts';
import { ClaudeTerminal } from './claude-terminal.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

/** Two servers alike, whose tools may be used; one has a limit of its own for each call. */
beforeAll(() => {
  const home = join(testBed.root, 'home', '.claude');
  const demo = { type: 'stdio', command: process.execPath, args: [join(import.meta.dirname, 'mcp-demo.mjs')] };
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({ mcpServers: { demo, hasty: { ...demo, timeout: 1500 } } }),
  );
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ permissions: { allow: ['mcp__demo', 'mcp__hasty'] } }));
});

const calls = (tool: string, id: string, server = 'demo') => ({ tool: `mcp__${server}__${tool}`, input: {}, id });
const EUROPE = { question_id: 'region', selected_option_ids: ['option-1'] };
const machines = (freeform_answer: string) => ({ question_id: 'count', freeform_answer });
/** What the server was told: it says so in its result. */
const heard = (callId: string) => JSON.parse(testBed.result(callId)?.text ?? 'null');
const next = (run: RunView, before: AskView) =>
  testBed.bed.until(async () =>
    (await testBed.bed.pending(run.session_id)).find(({ ask_id }) => ask_id !== before.ask_id),
  );

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: what its MCP servers ask`, () => {
  it('is asked here, and the server gets what was accepted, as its form wants it, or a no', async () => {
    testBed.record('elicitations');
    testBed.model.play([
      [calls('deploy', 'toolu_e1')],
      [calls('deploy', 'toolu_e2')],
      [calls('visit', 'toolu_e3')],
      [calls('confirm', 'toolu_e4')],
      [calls('confirm', 'toolu_e5')],
      [calls('survey', 'toolu_e6')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    const form = await testBed.ask(run);
    expect(form).toMatchObject({
      kind: 'question',
      mode: 'blocking',
      request: {
        context: 'demo: Deploy where?',
        questions: [
          { id: 'region', required: true, allow_other: false, options: [{ label: 'Europe' }, { label: 'America' }] },
          { id: 'count', required: true, placeholder: 'a whole number from 1 to 9' },
          { id: 'dry', question: 'Only pretend?', required: false },
          { id: 'note', required: false },
        ],
      },
    });
    await testBed.bed.answer(form, EUROPE, machines('99'));
    const again = await next(run, form);
    expect(again.request).toMatchObject({ context: expect.stringContaining('must be a whole number from 1 to 9') });
    await testBed.bed.answer(again, EUROPE, machines('3'));
    // The same form in another call is another ask.
    const second = await next(run, again);
    expect(second.request).toMatchObject({ context: 'demo: Deploy where?' });
    await testBed.bed.decline(second, 'not today');
    const page = await next(run, second);
    expect(page).toMatchObject({
      kind: 'approval',
      request: { tool_name: 'mcp__demo', input: { message: 'Sign in there', url: 'https://example.com/sign-in' } },
    });
    await testBed.bed.decide(page, { behavior: 'allow' });
    const yes = await next(run, page);
    expect(yes.request).toMatchObject({ tool_name: 'mcp__demo', input: { message: 'Really?' } });
    await testBed.bed.decide(yes, { behavior: 'allow' });
    await testBed.bed.decide(await next(run, yes), { behavior: 'deny' });
    const over = await testBed.over(run);
    expect(over).toMatchObject({ status: 'completed' });
    expect(heard('toolu_e1')).toEqual({ action: 'accept', content: { region: 'eu', count: 3 } });
    expect(heard('toolu_e2')).toEqual({ action: 'decline' });
    expect(heard('toolu_e3')).toEqual({ action: 'accept' });
    expect(heard('toolu_e4')).toEqual({ action: 'accept', content: {} });
    expect(heard('toolu_e5')).toEqual({ action: 'decline' });
    expect(heard('toolu_e6')).toEqual({ action: 'cancel' });
    expect(testBed.bed.heard(over)).toEqual([expect.stringContaining('demo asked for something that nobody could be')]);
    expect((await testBed.bed.events(run.session_id, 'ask.delivered')).length).toBe(6);
  });

  it('keeps two at once apart; what is answered too late for the server is taken back, and the model is told', async () => {
    testBed.model.play([
      [calls('deploy', 'toolu_e7'), calls('deploy', 'toolu_e8', 'hasty'), calls('visit', 'toolu_e9')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    const late = await testBed.bed.until(async () => {
      const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id, status: 'cancelled' });
      return items[0];
    });
    expect(late).toMatchObject({
      request: { context: 'hasty: Deploy where?' },
      answer: { reason: 'withdrawn', justification: 'Claude Code no longer waits for it' },
    });
    await expect(testBed.bed.answer(late, EUROPE, machines('3'))).rejects.toMatchObject({
      code: 'question_state_conflict',
    });
    const asks = await testBed.bed.pending(run.session_id, 2);
    const of = (kind: AskView['kind']) => asks.find((ask) => ask.kind === kind) as AskView;
    await testBed.bed.decide(of('approval'), { behavior: 'deny' });
    await testBed.bed.answer(of('question'), EUROPE, machines('7'));
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(heard('toolu_e7')).toEqual({ action: 'accept', content: { region: 'eu', count: 7 } });
    expect(testBed.result('toolu_e8')).toMatchObject({
      isError: true,
      text: expect.stringContaining('no answer came'),
    });
    expect(heard('toolu_e9')).toEqual({ action: 'decline' });
  });

  it('stays open when Claude Code dies; the answer is told, goes to the same form once more, and only once', async () => {
    const deploys = ['toolu_e10', 'toolu_e11', 'toolu_e12'].map((id) => [calls('deploy', id)]);
    testBed.model.play([...deploys, [{ text: 'never' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    await testBed.kept('toolu_e10');
    testBed.kill(run);
    await testBed.bed.until(async () => (await testBed.bed.events(run.session_id, 'run.released'))[0]);
    expect(testBed.processes(run)).toEqual([]);
    expect(await testBed.bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
    await testBed.bed.answer(ask, EUROPE, machines('3'));
    const anew = await next(run, ask);
    expect(testBed.result('toolu_e10')?.text).toContain('interrupted');
    const words = 'demo: Deploy where?\\nYou asked: Region\\n→ Europe\\nYou asked: Machines\\n→ 3';
    expect(testBed.model.told.filter((told) => told.includes(words)).length).toBeGreaterThan(0);
    expect(heard('toolu_e11')).toEqual({ action: 'accept', content: { region: 'eu', count: 3 } });
    expect((await testBed.bed.events(run.session_id, 'ask.delivered')).length).toBe(1);
    // A run that is stopped leaves nothing to answer, and nothing goes on.
    const told = testBed.model.told.length;
    await testBed.bed.api.runs.cancel(run.run_id, {});
    await testBed.released(run);
    expect(await testBed.bed.api.asks.get(anew.ask_id)).toMatchObject({ status: 'cancelled' });
    expect(testBed.model.told).toHaveLength(told);
  });
});

describe.skipIf(!claude || !hasPty)(`Claude Code ${claudeVersion}, attached: what its MCP servers ask`, () => {
  it('is asked at its terminal alone, where it can be answered', async () => {
    const own = await ClaudeTerminal.open(testBed);
    onTestFinished(async () => {
      endTerminals();
      own.close();
      await endEverything();
    });
    testBed.model.play([[calls('confirm', 'toolu_t1')], [{ text: 'Done.' }]]);
    const { terminal } = own.start('go');
    await terminal.shows('Really?');
    // It takes no key in the first moment that it is shown.
    await own.bed.until(async () => {
      terminal.type(KEYS.enter);
      await sleep(500);
      return terminal.screen().some((line) => line.includes('Done.')) || undefined;
    });
    expect(heard('toolu_t1')).toMatchObject({ action: 'accept' });
    expect((await own.bed.api.asks.list({})).items).toEqual([]);
    await terminal.end();
  });
});
