// Which turn of a Claude Code process is the last, and when background tasks keep it: until they have ended and the model
// was told.
// Covers: src/agents/claude/background-tasks.ts
import { describe, expect, it } from 'vitest';
import { createBackground, isQuiet } from '../../../src/agents/claude/background-tasks.ts';
import { createLastTurn, processEnding } from '../../../src/agents/claude/last-turn.ts';
import { type ClaudeMessage, type ClaudeResult, readMessage } from '../../../src/agents/claude/protocol.ts';

const QUIET = { agents: [], commands: [], hasNews: false };
const result = (more: Partial<ClaudeResult> = {}): ClaudeResult => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 's',
  ...more,
});

/** `over` resolves with whether its commands were given up. */
function lastTurn() {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stayed: (readonly string[])[] = [];
  const turn = createLastTurn(0, { onOver: resolve, onStay: (tasks) => stayed.push(tasks) });
  return { turn, over: promise, stayed };
}

describe('the last turn', () => {
  it('is the one that ends without background tasks', async () => {
    const { turn, over, stayed } = lastTurn();
    turn.ended(result(), QUIET);
    expect(await over).toBe(false);
    expect(turn.result()).toMatchObject({ subtype: 'success' });
    expect(stayed).toEqual([]);
  });

  it('is not one that leaves a sub-agent running: the turn that follows is', async () => {
    const { turn, over, stayed } = lastTurn();
    turn.started();
    turn.ended(result({ result: 'first' }), { ...QUIET, agents: ['help'] });
    expect(stayed).toEqual([['help']]);
    expect(turn.result()).toBeUndefined();
    turn.backgroundChanged({ ...QUIET, hasNews: true });
    turn.started();
    turn.ended(result({ result: 'second' }), QUIET);
    expect(await over).toBe(false);
    expect(turn.result()).toMatchObject({ result: 'second' });
  });

  it('is over after the time limit when background commands do not end', async () => {
    const { turn, over } = lastTurn();
    turn.ended(result(), { ...QUIET, commands: ['a server'] });
    expect(await over).toBe(true);
  });

  it('is over at once when it failed, whatever runs in the background', async () => {
    const { turn, over } = lastTurn();
    turn.ended(result({ is_error: true }), { ...QUIET, agents: ['help'] });
    expect(await over).toBe(false);
  });

  it('is final when it deferred a call, whatever results follow', () => {
    const { turn } = lastTurn();
    turn.ended(result({ stop_reason: 'tool_deferred' }), QUIET);
    turn.started();
    turn.ended(result({ stop_reason: 'end_turn' }), QUIET);
    expect(turn.result()?.stop_reason).toBe('tool_deferred');
  });
});

describe('the background', () => {
  const read = (message: object): ClaudeMessage => readMessage(JSON.stringify(message)) as ClaudeMessage;
  const tasks = (...ids: string[]) =>
    read({
      type: 'system',
      subtype: 'background_tasks_changed',
      tasks: ids.map((task_id) => ({ task_id, task_type: 'local_bash', description: task_id })),
    });
  const begins = (parent_tool_use_id: string | null = null) =>
    read({ type: 'stream_event', parent_tool_use_id, event: { type: 'message_start' } });
  const settles = (agent_id?: string) =>
    read({
      type: 'user',
      uuid: 'u',
      agent_id,
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
    });
  const heard = (...messages: ClaudeMessage[]) => {
    const background = createBackground();
    for (const message of messages) background.receive(message);
    return background.now();
  };

  it('lists every task that was started and has not ended', () => {
    expect(heard(tasks('a'), tasks('a', 'b'), tasks('b')).commands).toEqual(['b']);
  });

  it.each([
    ['a task has just ended', [tasks('a'), tasks()]],
    ['the model was called before a task ended', [tasks('a'), settles(), tasks(), begins()]],
    ['only a sub-agent was called since', [tasks('a'), tasks(), settles('sub'), begins('toolu_sub')]],
    ['another one ended just after', [tasks('a', 'b'), tasks('b'), settles(), tasks(), begins()]],
  ])('has news for the model: %s', (_, messages) => {
    expect(heard(...messages).hasNews).toBe(true);
    expect(isQuiet(heard(...messages))).toBe(false);
  });

  it.each([
    ['with the next result', [tasks('a'), tasks(), settles(), begins()]],
    [
      'by a turn of its own',
      [tasks('a'), tasks(), read({ type: 'system', subtype: 'init', session_id: 's' }), begins()],
    ],
  ])('has no news once the model was told %s', (_, messages) => {
    expect(isQuiet(heard(...messages))).toBe(true);
  });
});

it.each([
  ['Not logged in · Please run /login', /^Claude Code is not signed in on the machine of this worker/],
  ['API Error: 500', /^Claude Code ended in the middle of its work \(an error\): API Error: 500$/],
])('a turn that failed with "%s" is not called a success', (said, error) => {
  const exit = { exitCode: 1, signal: null, stderr: '' };
  const failed = result({ is_error: true, subtype: 'success', result: said });
  expect(processEnding(exit as never, failed, true, false)).toMatchObject({ error: expect.stringMatching(error) });
});
