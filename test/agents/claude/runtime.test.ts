// The prompt of `claude -p` in a dispatch that carries an answer: the model is always told what was answered.
import { expect, it } from 'vitest';
import { claudeRuntime } from '../../../src/agents/claude/runtime.ts';

async function promptOf(prompt: string | undefined, input: Record<string, unknown>): Promise<string | undefined> {
  let told: string | undefined;
  const run = async (program: { input?: string | undefined }) => {
    told = program.input;
    return { exitCode: 0, stdout: '', stderr: '' };
  };
  const invocation = { command: ['claude', '-p'], workspaceDir: '/nowhere', input, prompt };
  await claudeRuntime.invoke(invocation, { dispatchId: 'd', env: {}, signal: new AbortController().signal, run });
  return told;
}

it('adds the answer to a prompt that does not mention it', async () => {
  expect(await promptOf('Release 2.0.', { answer: 'main' })).toMatch(
    /^Release 2\.0\.\n\n[\s\S]*The answer: main\nGo on\.$/,
  );
  expect(await promptOf(undefined, { answer: null, declined: true })).toMatch(/declined to answer/);
});

it('adds nothing to a prompt that has the answer, or where nothing was asked', async () => {
  expect(await promptOf('Release main.', { answer: 'main' })).toBe('Release main.');
  expect(await promptOf('Release 2.0.', {})).toBe('Release 2.0.');
  expect(await promptOf(undefined, {})).toBeUndefined();
});
