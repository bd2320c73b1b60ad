// The commands that an ACP agent runs in terminals of its client, when the agent is gone.
import { expect, it } from 'vitest';
import { createTerminals } from '../../../src/agents/acp/terminals.ts';
import type { LineProcess, LineProcessSpec, ProcessExit } from '../../../src/agents/agent.ts';

/** Processes that a test starts and ends by itself. */
function terminals() {
  const begun = Promise.withResolvers<void>();
  const exit = Promise.withResolvers<ProcessExit>();
  const specs: LineProcessSpec[] = [];
  const start = async (spec: LineProcessSpec): Promise<LineProcess> => {
    specs.push(spec);
    await begun.promise;
    const exited = exit.promise.then(() => {});
    return { send: () => {}, closeInput: () => {}, exited, ended: exit.promise };
  };
  const context = { processes: { start }, env: {}, run: { run_id: 'run_1' } };
  return {
    ...createTerminals(context as unknown as Parameters<typeof createTerminals>[0]),
    begin: begun.resolve,
    end: () => exit.resolve({ exitCode: 143, stdout: '', stderr: '', timedOut: false }),
    isStopped: () => specs[0]?.signal.aborted,
    count: () => specs.length,
  };
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setTimeout(resolve, 10, false))]);
}

it('ends a command that was being started when the agent ended, and waits for it', async () => {
  const { create, close, begin, end, isStopped } = terminals();
  const created = create('sleep 300', '/');
  const closed = close();
  expect(isStopped()).toBe(true);
  begin();
  await created;
  expect(await isSettled(closed)).toBe(false);
  end();
  expect(await isSettled(closed)).toBe(true);
});

it('waits for a command whose terminal was released', async () => {
  const { create, release, close, begin, end } = terminals();
  begin();
  release({ terminalId: await create('sleep 300', '/') });
  const closed = close();
  expect(await isSettled(closed)).toBe(false);
  end();
  expect(await isSettled(closed)).toBe(true);
});

it('starts no command once the agent is gone', async () => {
  const { create, close, count } = terminals();
  await close();
  await expect(create('sleep 300', '/')).rejects.toThrow('the agent is gone');
  expect(count()).toBe(0);
});
