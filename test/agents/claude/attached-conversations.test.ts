// What a server keeps in memory of attached conversations: the beginning of a prompt, of a bounded number of them.
import { expect, it, onTestFinished } from 'vitest';
import { createConversations } from '../../../src/agents/claude/attached-conversations.ts';
import { createClient } from '../../../src/client/client.ts';

it('finding 14: keeps the beginning of the prompts of the last two hundred conversations', () => {
  const conversations = createConversations(createClient({ url: 'http://127.0.0.1:9' }));
  onTestFinished(() => conversations.close());
  conversations.prompted(conversations.of('first'), 'x'.repeat(20_000_000));
  expect(conversations.of('first').prompt).toHaveLength(100_000);
  for (let n = 1; n < 200; n++) conversations.of(`other-${n}`);
  expect(conversations.of('first').prompt).toHaveLength(100_000);
  for (let n = 200; n < 400; n++) conversations.of(`other-${n}`);
  expect(conversations.of('first').prompt).toBe('');
});
