// Exit of the program × state of the sentinel: outcome, reason and exit code of every combination. The sentinel decides
// first; the exit counts only where the sentinel is absent or left over from an earlier dispatch.
// Covers: src/agents/kit/runtime.ts, src/agents/exec/runtime.ts
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSentinel } from '../../../src/agents/exec/sentinel.ts';
import { ExecTestBed, exitOf, type Fields } from './test-bed.ts';

interface Exit {
  script: string;
  exit_code: number;
  signal?: string;
  limit?: true;
}
/** What the program does after it has written, or not written, its sentinel. */
const EXITS: Record<string, Exit> = {
  'exit 0': { script: 'exit 0', exit_code: 0 },
  'exit 1': { script: 'exit 1', exit_code: 1 },
  'exit 42': { script: 'exit 42', exit_code: 42 },
  'exit 137': { script: 'exit 137', exit_code: 137 },
  SIGTERM: { script: 'kill -TERM $$', exit_code: 143, signal: 'SIGTERM' },
  SIGKILL: { script: 'kill -KILL $$', exit_code: 137, signal: 'SIGKILL' },
  'killed tool': { script: 'sleep 60 & tool=$!; kill -KILL $tool; wait $tool; exit $?', exit_code: 137 },
  'past its limit': { script: 'sleep 60', exit_code: 143, signal: 'SIGTERM', limit: true },
};

const MIB = 1024 * 1024;
const VALID = JSON.stringify({ question: 'Which one?', options: ['A', 'B'], context: 'why', partial_state: { n: 1 } });
/** The canonical form of a text has two quotes more. */
const stateOf = (bytes: number) => JSON.stringify({ question: 'Which one?', partial_state: 'x'.repeat(bytes - 2) });
const at = '.agora/needs_input.json';
const copied = `cp given ${at}`;

interface Sentinel {
  /** The file `given` in the workspace. */
  given?: string | Buffer;
  script: string;
  /** There before the dispatch begins. */
  before?: string;
  means: 'nothing' | 'question' | RegExp;
}
const SENTINELS: Record<string, Sentinel> = {
  absent: { script: ':', means: 'nothing' },
  valid: { given: VALID, script: copied, means: 'question' },
  'valid with 1 MiB exactly': { given: stateOf(MIB), script: copied, means: 'question' },
  '1 MiB + 1 byte': {
    given: stateOf(MIB + 1),
    script: copied,
    means: /1048577 bytes of canonical JSON; at most 1048576/,
  },
  'half-written': { given: VALID.slice(0, VALID.length / 2), script: copied, means: /not valid JSON/ },
  empty: { given: '', script: copied, means: /it is empty/ },
  'not JSON': { given: 'Which one?', script: copied, means: /not valid JSON/ },
  'not UTF-8': { given: Buffer.from([0x22, 0xff, 0x22]), script: copied, means: /not valid UTF-8/ },
  array: { given: '[]', script: copied, means: /not a JSON object/ },
  null: { given: 'null', script: copied, means: /not a JSON object/ },
  'no question': { given: '{"options":["A"]}', script: copied, means: /`question` must be a text/ },
  'empty question': { given: '{"question":" \\n"}', script: copied, means: /`question` must be a text/ },
  symlink: { given: VALID, script: `ln -s ../given ${at}`, means: /symbolic link/ },
  'texts over the limits': {
    given: JSON.stringify({
      question: 'Which one?',
      context: 'x'.repeat(300_000),
      options: Array.from({ length: 80 }, (_, n) => `option ${n}`),
    }),
    script: copied,
    means: 'question',
  },
  directory: { script: `mkdir ${at}`, means: /not a regular file/ },
  pipe: { script: `mkfifo ${at}`, means: /not a regular file/ },
  'over 2 MiB': { given: VALID.padEnd(2 * MIB + 1), script: copied, means: /2097153 bytes; at most 2097152/ },
  unreadable: { given: VALID, script: `${copied} && chmod 000 ${at}`, means: /cannot be read/ },
  'stale from an earlier dispatch': { before: VALID, script: ':', means: 'nothing' },
};

/** Doubled where the machine was so slow that the program had not come to its sentinel. */
const LIMIT_MS = 1500;

interface Cell {
  status: string;
  outcome: string | undefined;
  error: string | undefined;
  question: string | undefined;
  exit: unknown;
  last: unknown;
}

let d: ExecTestBed;
/** So many cells at a time; the next one waits for the oldest. */
const lanes: Promise<void>[] = Array.from({ length: 12 }, () => Promise.resolve());
const cells = new Map<string, Promise<Cell>>();
beforeAll(async () => {
  d = await ExecTestBed.open({ concurrency: 12 });
  for (const [exit, { script, limit }] of Object.entries(EXITS))
    for (const [name, sentinel] of Object.entries(SENTINELS)) {
      const cell = play(sentinel, script, limit && LIMIT_MS);
      cell.catch(() => {});
      cells.set(`${exit} × ${name}`, cell);
    }
});
afterAll(() => d.close());

async function play(sentinel: Sentinel, script: string, limitMs: number | undefined): Promise<Cell> {
  const free = lanes.shift() ?? Promise.resolve();
  const done = Promise.withResolvers<void>();
  lanes.push(done.promise);
  await free;
  return one(sentinel, script, limitMs).finally(() => done.resolve());
}

async function one(sentinel: Sentinel, script: string, limitMs: number | undefined): Promise<Cell> {
  const folder = d.workspace(sentinel.before === undefined ? {} : { [at]: sentinel.before });
  if (sentinel.given !== undefined) writeFileSync(join(folder, 'given'), sentinel.given);
  const more: Fields = limitMs === undefined ? {} : { timeout_ms: limitMs };
  const started = await d.sh(folder, `${sentinel.script}\ntouch there\n${script}`, more);
  const run = await d.paused(started);
  if (limitMs !== undefined && !existsSync(join(folder, 'there'))) return one(sentinel, script, limitMs * 2);
  const { status, outcome, error, pending_questions } = run;
  const { stdout: _, stderr: __, ...exit } = exitOf(run) ?? {};
  const events = await d.bed.events(run.session_id);
  const last = events.findLast((event) => event.type.startsWith('dispatch.'));
  const question = pending_questions[0]?.questions[0]?.question;
  return { status, outcome, error, question, exit, last: last && { type: last.type, data: last.data } };
}

describe.each(Object.keys(EXITS))('a program that ends with %s', (exitName) => {
  const { exit_code, signal, limit } = EXITS[exitName] as Exit;
  const exit = { exit_code, timed_out: limit ?? false, ...(signal && { signal }) };

  it.each(Object.keys(SENTINELS))('has the documented outcome with the sentinel: %s', async (name) => {
    const { means } = SENTINELS[name] as Sentinel;
    const cell = await (cells.get(`${exitName} × ${name}`) as Promise<Cell>);
    expect(cell.exit).toEqual(exit);
    if (means === 'question') {
      expect(cell).toMatchObject({ status: 'waiting_for_user_question', question: 'Which one?', outcome: undefined });
      expect(cell.last).toEqual({ type: 'dispatch.needs_input', data: {} });
    } else if (means !== 'nothing') {
      expect(cell).toMatchObject({ status: 'failed', outcome: 'worker-failed', error: expect.stringMatching(means) });
      expect(cell.last).toEqual({ type: 'dispatch.failed', data: { reason: 'worker-failed', exit_code } });
      expect(cell.error).not.toContain('Which one');
    } else if (exit_code === 0) {
      expect(cell).toMatchObject({ status: 'completed', outcome: undefined, error: undefined });
      expect(cell.last).toEqual({ type: 'dispatch.finished', data: { exit_code } });
    } else {
      const reason = limit ? 'timeout' : 'provider-failed';
      expect(cell).toMatchObject({ status: 'failed', outcome: reason });
      expect(cell.last).toEqual({ type: 'dispatch.failed', data: { reason, exit_code } });
    }
  });
});

it('truncates texts of a sentinel over the limits of an ask, and says how many options are not listed', () => {
  const options = Array.from({ length: 80 }, (_, n) => `option ${n}`);
  const given = { question: 'q'.repeat(50_000), context: 'c'.repeat(300_000), options };
  const read = parseSentinel(Buffer.from(JSON.stringify(given)));
  expect([read.question.length, read.context?.length, read.options.length]).toEqual([20_000, 20_000, 50]);
  expect(read.context).toMatch(/^30 more options are not listed; they can be given as text\.\n\nccc/);
});

it('keeps the content of a malformed sentinel in the record of its run', async () => {
  const run = await d.paused(await d.sh(d.workspace({}), `printf '%s' 'half {"question"' > ${at}`));
  expect(run).toMatchObject({ status: 'failed', outcome: 'worker-failed' });
  expect(run.outputs.map(({ data }) => data)).toContainEqual({ content: 'half {"question"' });
});
