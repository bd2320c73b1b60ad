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

function setUp(reply: (text: string) => Promise<string | undefined>) {
  const heard: string[] = [];
  const posted: string[] = [];
  const asks = { comment: async (_: string, text: string) => void posted.push(text) };
  const reader = createCommentReader({ asks } as unknown as Calls, 'ask', async (text) => {
    heard.push(text);
    return reply(text);
  });
  return { reader, heard, posted };
}

it('passes each comment of a person on once, in order, and posts the replies', async () => {
  const { reader, heard, posted } = setUp(async (text) => `re: ${text}`);
  reader.take([said('1', 'person', 'why?')]);
  reader.take([said('1', 'person', 'why?'), said('2', 'person', 'yes')]);
  await expect.poll(() => posted).toEqual(['re: why?', 're: yes']);
  reader.take([said('1', 'person', 'why?'), said('2', 'person', 'yes'), said('3', 'agent', 're: why?')]);
  expect(heard).toEqual(['why?', 'yes']);
  expect(reader.read()).toBe(2);
});

it('skips what was replied to before it began, and goes on after a reply that failed', async () => {
  const { reader, heard, posted } = setUp(async (text) => {
    if (text === 'broken') throw new Error('gone');
    return text === 'quiet' ? undefined : 'here';
  });
  reader.take([said('1', 'person', 'old'), said('2', 'agent', 'done'), said('3', 'person', 'broken')]);
  reader.take([said('4', 'person', 'quiet'), said('5', 'person', 'last')]);
  await expect.poll(() => posted).toEqual(['here']);
  expect(heard).toEqual(['broken', 'quiet', 'last']);
});
