// A managed ACP agent, played by a stand-in that is written with the SDK of the protocol.
// Covers: src/agents/acp/, src/agents/acp/agent.ts, src/agents/acp/decisions.ts, src/agents/acp/launch.ts
// Covers: src/agents/acp/message-stream.ts, src/agents/acp/outputs.ts, src/agents/acp/requests.ts, src/agents/acp/session.ts
// Covers: src/agents/acp/client-tools.ts, src/agents/acp/terminals.ts, src/agents/kit/unexpected-exit.ts
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acp } from '../../../src/agents/acp/agent.ts';
import type { Rule } from '../../../src/core/rule.ts';
import type { AskView } from '../../../src/core/views.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('planned-acp.mjs', acp);
let made = 0;

async function start(messages: object[][], input: object = { command: 'acp' }, rules: Rule[] = []) {
  made += 1;
  const folder = join(standIn.root, `work-${made}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(messages));
  const { api } = standIn.bed;
  const { session_id } = await api.sessions.create({ agent: 'acp', work_folder: folder, rules });
  const run = await api.runs.start(session_id, { input: { text: 'go', ...input } });
  const file = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  return {
    run,
    oneAsk: async () => (await standIn.bed.pending(session_id, 1))[0] as AskView,
    over: () => standIn.bed.over(run.run_id),
    received: () => file('received.txt'),
    outcomes: () => file('outcomes.txt').trim().split('\n'),
    file,
    /** One more run in the same session. */
    next: async (text: string) =>
      standIn.bed.over((await api.runs.start(session_id, { input: { text, ...input } })).run_id),
  };
}

const command = (name: string, more: object = {}) => ({ id: `call_${name}`, command: `touch ${name}`, ...more });
const selected = (optionId: string) => JSON.stringify({ outcome: 'selected', optionId });

describe('a managed ACP agent', () => {
  it('gets the option that rejects once for a denial, and the reason in a prompt of its own', async () => {
    const { oneAsk, over, outcomes, received, file } = await start([[command('one')]]);
    await standIn.bed.decide(await oneAsk(), { behavior: 'deny', reason: 'not in this folder' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(outcomes()).toEqual([selected('no')]);
    expect(received()).toMatch(/touch one[^\n]*\n→ not allowed: not in this folder/);
    expect(file('one')).toBe('');
  });

  it('gets no further prompt for a denial without a reason', async () => {
    const { oneAsk, over, received } = await start([[command('one')]]);
    await standIn.bed.decide(await oneAsk(), { behavior: 'deny' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toBe('go\nThe person chose reject_once.\n');
  });

  it('gets the option that allows for good when the person took that suggestion', async () => {
    const { oneAsk, over, outcomes } = await start([[command('one')]]);
    const ask = await oneAsk();
    expect(ask.request).toMatchObject({ suggestions: [{ id: 'always', label: 'Always allow echo' }] });
    await standIn.bed.decide(ask, { behavior: 'allow', suggestion_ids: ['always'] });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(outcomes()).toEqual([selected('always')]);
  });

  it('is denied where it can only be allowed for good and the person allowed it once', async () => {
    const options = [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const { oneAsk, over, outcomes, received } = await start([[command('one', { options })]]);
    await standIn.bed.decide(await oneAsk(), { behavior: 'allow' });
    expect(JSON.stringify((await over()).outputs)).toContain('offers no single way to allow this once');
    expect(outcomes()).toEqual([selected('no')]);
    expect(received()).toContain('the person chose none of the others');
  });

  it('asks for a file change with its difference', async () => {
    const edit = { path: '/srv/a.txt', oldText: 'one\n', newText: 'two\n' };
    const { oneAsk, over } = await start([[{ id: 'call_edit', edit }]]);
    const ask = await oneAsk();
    expect(ask.request).toMatchObject({ tool_name: 'Edit', diff: expect.stringContaining('+two') });
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
  });

  it('asks questions in the way of Qwen Code, and gets the answers beside the outcome', async () => {
    const questions = [{ question: 'Which?', options: ['Red', 'Blue'] }];
    const { oneAsk, over, received } = await start([[{ id: 'call_q', questions, qwen: true }]]);
    const ask = await oneAsk();
    if (ask.kind !== 'question') throw new Error('it is a question set');
    const blue = ask.request.questions[0]?.options.find(({ label }) => label === 'Blue')?.id ?? '';
    await standIn.bed.answer(ask, { question_id: 'question-1', selected_option_ids: [blue] });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toContain('"optionId":"proceed_once"');
    expect(received()).toContain('"answers":{"0":"Blue"}');
  });

  it('has its open permission answered with `cancelled` when the run is cancelled', async () => {
    const { run, oneAsk, over, outcomes, received, file } = await start([[command('one')]]);
    await oneAsk();
    await standIn.bed.api.runs.cancel(run.run_id);
    expect(await over()).toMatchObject({ status: 'cancelled' });
    await standIn.bed.until(async () => (file('outcomes.txt') ? true : undefined));
    expect(outcomes()).toEqual([JSON.stringify({ outcome: 'cancelled' })]);
    await expect.poll(received).toContain('(cancelled)');
    expect(file('one')).toBe('');
  });

  it('that dies after an answer was sent is started again once, and told that it may have acted on it', async () => {
    const { oneAsk, over, received, file } = await start([
      [command('one', { dies: true })],
      [{ id: 'b', say: ['Done.'] }],
    ]);
    const ask = await oneAsk();
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toMatch(/you may or may not have acted on it:[\s\S]*touch one[\s\S]*→ allowed/);
    expect(file('outcomes.txt').trim().split('\n')).toHaveLength(1);
    expect(await standIn.bed.api.asks.get(ask.ask_id)).toMatchObject({ delivery: { state: 'delivered' } });
  });

  it('is offered forms, and neither files nor terminals: what it requests of them is refused', async () => {
    const needs = ['fs/read_text_file', 'terminal/create'].map((method, i) => ({ id: `call_${i}`, needs: method }));
    const { over, received, file } = await start([needs]);
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(JSON.parse(file('initialized.txt'))).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    });
    expect(received()).toMatch(/fs\/read_text_file: .*not found[\s\S]*terminal\/create: .*not found/i);
  });

  it('is served files and commands as the rules of its session say, and a person is asked where none decides', async () => {
    const rules: Rule[] = [
      { tool: 'Read', action: 'allow' },
      { tool: 'Write', action: 'allow', matches: { file_path: '*/good.txt' } },
      { tool: 'Write', action: 'reject' },
      { tool: 'Bash', action: 'allow', matches: { command: 'echo *' } },
    ];
    const needs = [
      { needs: 'fs/read_text_file', path: 'plan.json', line: 1, limit: 1 },
      { needs: 'fs/write_text_file', path: 'good.txt', content: 'good' },
      { needs: 'fs/write_text_file', path: 'bad.txt', content: 'bad' },
      { needs: 'fs/write_text_file', path: '../work-x/good.txt', content: 'x' },
      { needs: 'terminal/create', command: 'echo', args: ['it is', '$HOME'] },
      { needs: 'terminal/create', command: 'echo', env: [{ name: 'LD_PRELOAD', value: 'x.so' }] },
      { needs: 'terminal/create', command: 'echo x', cwd: '/' },
      { needs: 'terminal/create', command: 'seq 9', outputByteLimit: 4 },
    ].map((call, i) => [{ id: `call_${i}`, ...call }]);
    const { over, received, file, oneAsk } = await start(needs, undefined, rules);
    const assigned = await oneAsk();
    expect(assigned.request).toMatchObject({ tool_name: 'Bash', input: { command: 'LD_PRELOAD=x.so echo' } });
    await standIn.bed.decide(assigned, { behavior: 'deny', reason: 'no preload' });
    const counted = await standIn.bed.until(async () => {
      const ask = await oneAsk();
      return ask.ask_id === assigned.ask_id ? undefined : ask;
    });
    await standIn.bed.decide(counted, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    const [read, good, bad, elsewhere, echoed, preloaded, outside, truncated] = received()
      .split('\n')
      .filter((line) => /^(?:fs|terminal)\//.test(line));
    expect(read).toContain('fs/read_text_file was served: {"content":"[[{');
    expect([good, file('good.txt')]).toEqual(['fs/write_text_file was served: {}', 'good']);
    expect(bad).toContain('fs/write_text_file: It was not allowed');
    expect(elsewhere).toContain('no such file');
    expect(echoed).toContain('{"output":"it is $HOME\\n","truncated":false,"exitStatus":{"exitCode":0,"signal":null}}');
    expect(preloaded).toContain('no preload');
    expect(outside).toContain('in the work folder or below it only');
    expect(truncated).toContain('{"output":"8\\n9\\n","truncated":true');
    expect(file('bad.txt')).toBe('');
  });

  it('is served regular files only, and every character that a command prints', async () => {
    const rules = ['Read', 'Write', 'Bash'].map((tool): Rule => ({ tool, action: 'allow' }));
    const needs = [
      { needs: 'terminal/create', command: 'mkfifo', args: ['pipe'] },
      { needs: 'fs/read_text_file', path: 'pipe' },
      { needs: 'fs/write_text_file', path: 'pipe', content: 'x' },
      { needs: 'fs/read_text_file', path: '/dev/zero' },
      { needs: 'fs/write_text_file', path: '/dev/null', content: 'x' },
      { needs: 'terminal/create', command: 'printf', args: ['no line feed'] },
    ].map((call, i) => [{ id: `call_${i}`, ...call }]);
    const { over, received } = await start(needs, undefined, rules);
    expect(await over()).toMatchObject({ status: 'completed' });
    const results = received()
      .split('\n')
      .filter((line) => /^(?:fs|terminal)\//.test(line));
    expect(results[1]).toContain('pipe is no regular file');
    expect(results[2]).toMatch(/pipe is no regular file|no such device/);
    expect(results[3]).toContain('/dev/zero is no regular file');
    expect(results[4]).toContain('/dev/null is no regular file');
    expect(results[5]).toContain('{"output":"no line feed\\n","truncated":false');
  });

  it('uses its client for what a permission has just allowed, once, without a second question', async () => {
    const rules: Rule[] = [{ tool: 'Bash', action: 'allow', matches: { command: 'git status' } }];
    const asks = { id: 'call_1', command: 'touch one', client: true };
    const { over, received, oneAsk, file } = await start([[asks]], undefined, rules);
    const first = await oneAsk();
    await standIn.bed.decide(first, { behavior: 'allow' });
    const second = await standIn.bed.until(async () => {
      const ask = await oneAsk();
      return ask.ask_id === first.ask_id ? undefined : ask;
    });
    expect(file('one')).toBe('');
    await standIn.bed.decide(second, { behavior: 'deny', reason: 'once is enough' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toMatch(/was served[\s\S]*It was not allowed: once is enough/);
  });

  it('has its texts and its plans among the outputs of the run, each once', async () => {
    const entry = (content: string, status: string) => ({ content, status, priority: 'medium' });
    const plan = [entry('Look', 'completed'), entry('Change', 'in_progress'), entry('Test', 'pending')];
    const { over } = await start([[{ id: 'a', say: ['One ', 'text.'], plan }], [{ id: 'b', plan }]]);
    const texts = (await over()).outputs.map(({ text }) => text).filter(Boolean);
    expect(texts).toEqual(['One text.', 'Plan:\n[x] Look\n[~] Change\n[ ] Test']);
  });

  it.each([
    ['acp', '(resumed)'],
    ['acp --loads', '(loaded)'],
  ])('continues the same conversation in a later run: %s', async (line, how) => {
    const { over, next, received } = await start([[{ id: 'a', say: ['First.'] }]], { command: line });
    await over();
    const { outputs } = await next('and then');
    expect(received()).toContain(`${how}\nand then\n`);
    // What was said before is reported again while a session is loaded.
    expect(JSON.stringify(outputs)).not.toContain('said before');
  });

  it('that cannot load sessions begins a new one, and the run says so', async () => {
    const { over, next } = await start([[]], { command: 'acp --forgets' });
    await over();
    expect(JSON.stringify((await next('and then')).outputs)).toContain('does not continue its earlier conversation');
  });

  it('runs in the mode that the input names, if it has it', async () => {
    const { over, received } = await start([[]], { command: 'acp', mode: 'code' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toContain('(mode code)');
    const unknown = await start([[]], { command: 'acp', mode: 'yolo' });
    expect(await unknown.over()).toMatchObject({
      status: 'failed',
      error: 'acp has no mode "yolo"; its modes are: ask, code.',
    });
  });

  it('runs in the mode and with the model that it lists as options of a session', async () => {
    const options = { command: 'acp --options', mode: 'plan', model: 'large' };
    const { over, received } = await start([[]], options);
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(received()).toContain('(mode plan)\n(model large)\n');
    const unknown = await start([[]], { command: 'acp --options', model: 'huge' });
    expect(await unknown.over()).toMatchObject({
      status: 'failed',
      error: 'acp has no model "huge"; its models are: small, large.',
    });
  });

  it('that ends its turn for another reason than being done has failed', async () => {
    const { over } = await start([[{ id: 'a', stop: 'refusal' }]]);
    expect(await over()).toMatchObject({ status: 'failed', error: expect.stringContaining('(refusal)') });
  });

  it('that is not installed fails with how to install it', async () => {
    const { over } = await start([[]], { agent: 'kiro' });
    expect(await over()).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/kiro-cli is not installed .*kiro\.dev/),
    });
  });
});
