// Comments that reach an agent while it waits: each once, in order, and never as an answer.
import { expect, it } from 'vitest';
import type { Calls } from '../../src/client/client.ts';
import { createCommentReader } from '../../src/client/comment-reader.ts';
import type { CommentView } from '../../src/core/views.ts';

const said = (comment_id: string, role: CommentView['role'], text: string): CommentView => ({
  comment_id,
  role,
  text,
  by: role,
  surface: 'web',
  at_ms: 1,
});

function setUp(reply: (text: string, signal: AbortSignal) => Promise<string | undefined>) {
  const heard: string[] = [];
  const posted: string[] = [];
  const read: unknown[] = [];
  const asks = {
    comment: async (_: string, text: string, { commentsRead }: { commentsRead?: number }) => {
      posted.push(text);
      read.push(commentsRead);
    },
  };
  const reader = createCommentReader({ asks } as unknown as Calls, 'ask', async (text, signal) => {
    heard.push(text);
    return reply(text, signal);
  });
  return { reader, heard, posted, read };
}

it('passes each comment of a person on once, in order, and posts the replies', async () => {
  const { reader, heard, posted, read } = setUp(async (text) => `re: ${text}`);
  reader.take([said('1', 'person', 'why?')]);
  reader.take([said('1', 'person', 'why?'), said('2', 'person', 'yes'), said('3', 'person', 'allow')]);
  // What came while it replied is one question.
  await expect.poll(() => posted).toEqual(['re: why?', 're: yes\n\nallow']);
  expect(read).toEqual([1, 3]);
  reader.take([said('1', 'person', 'why?'), said('4', 'agent', 're: why?')]);
  expect(heard).toEqual(['why?', 'yes\n\nallow']);
  expect(reader.read()).toBe(3);
});

it('skips what was replied to before it began, and goes on after a reply that failed', async () => {
  const { reader, heard, posted } = setUp(async (text) => {
    if (text === 'broken') throw new Error('gone');
    return text === 'quiet' ? undefined : 'here';
  });
  reader.take([said('1', 'person', 'old'), said('2', 'agent', 'done'), said('3', 'person', 'broken')]);
  await expect.poll(() => posted).toEqual(['(There is no reply: gone)']);
  reader.take([said('4', 'person', 'quiet')]);
  await expect.poll(() => heard).toEqual(['broken', 'quiet']);
  await new Promise(setImmediate);
  reader.take([said('5', 'person', 'last')]);
  await expect.poll(() => posted.at(-1)).toBe('here');
});

it('passes on after a restart what came while an earlier comment was replied to', async () => {
  const { reader, heard } = setUp(async () => undefined);
  const reply = { ...said('3', 'agent', 're: first'), comments_read: 1 };
  reader.take([said('1', 'person', 'first'), said('2', 'person', 'meanwhile'), reply]);
  await expect.poll(() => heard).toEqual(['meanwhile']);
});

it('says that there is no reply where the handler returns no text or throws anything', async () => {
  const { reader, posted } = setUp(async (text) => {
    if (text === 'throw') throw Object.create(null);
    return 42 as unknown as string;
  });
  reader.take([said('1', 'person', 'return')]);
  await expect.poll(() => posted).toEqual([expect.stringContaining('type number instead of a text')]);
  reader.take([said('2', 'person', 'throw')]);
  await expect.poll(() => posted.at(-1)).toContain('threw a value without a text');
});

it('passes nothing on and posts nothing once the ask has ended, and tells the handler', async () => {
  const stopped: boolean[] = [];
  const { reader, heard, posted } = setUp(
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped.push(true);
          resolve('too late');
        });
      }),
  );
  reader.take([said('1', 'person', 'why?')]);
  reader.take([said('2', 'person', 'and?')]);
  await expect.poll(() => heard).toEqual(['why?']);
  reader.close();
  await expect.poll(() => stopped).toEqual([true]);
  expect([heard, posted]).toEqual([['why?'], []]);
});
