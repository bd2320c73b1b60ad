// Tests the sentence for who reads the comments on a request.
import { expect, it } from 'vitest';
import { commentReaders } from '../../src/client/comment-readers.ts';

it('says whether the agent is told of comments, by its name where that is known', () => {
  expect(commentReaders({ takes_comments: true }, 'claude')).toBe(
    'claude reads comments while it waits, and may reply',
  );
  expect(commentReaders({})).toBe('The agent is not told of comments on this request, but could read them');
});
