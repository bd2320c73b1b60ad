// Two hundred asks parked in one client while the server is killed and started again, answered before and after: every
// wait ends once, with its own answer, and every answer is delivered once.
// Covers: src/client/waits.ts
import { afterAll, expect, it, vi } from 'vitest';
import { createClient, every } from '../../src/client/client.ts';
import { connect } from '../../src/client/holdpoint.ts';
import type { AskView } from '../../src/core/views.ts';
import { endEverything, startHoldpoint } from '../support/process.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(endEverything);

const ASKS = 200;
const nameOf = (n: number) => `parked-${n}`;

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'ends 200 waits of one client once each after %s of the server',
  async (signal) => {
    let server = await startHoldpoint({ args: ['--no-worker'] });
    const agent = connect({ url: server.url, token: server.token });
    const person = createClient({ url: server.url, token: server.token });
    const pending = async () => {
      const found: AskView[] = [];
      for await (const ask of every((page) => person.asks.list({ status: 'pending', limit: 500, ...page })))
        found.push(ask);
      return found;
    };
    const answer = (ask: AskView) =>
      person.questions.answerRun(ask.run_id, {
        resolution: {
          request_id: ask.ask_id,
          answers: [{ question_id: 'question-1', freeform_answer: ask.tool_call_id }],
        },
      });
    const restart = async () => {
      await server.end(signal);
      server = await startHoldpoint({ data: server.data, args: ['--no-worker', '--port', new URL(server.url).port] });
    };

    const ended: string[] = [];
    const waits = Array.from({ length: ASKS }, async (_, n) => {
      const outcome = await agent.ask({ id: nameOf(n), question: `Question ${n}?` });
      ended.push(nameOf(n));
      return outcome.status === 'answered' ? outcome.answer : outcome.status;
    });
    await expect.poll(() => agent.parked, { timeout: 100_000 }).toBe(ASKS);
    const asks = await pending();
    expect(asks).toHaveLength(ASKS);

    await Promise.all(asks.slice(0, 50).map(answer));
    await restart();
    await Promise.all(asks.slice(50, 100).map(answer));
    const during = asks.slice(100, 150).map(answer);
    await restart();
    await Promise.all([...during, ...asks.slice(150).map(answer)]);

    expect(await Promise.all(waits)).toEqual(Array.from({ length: ASKS }, (_, n) => nameOf(n)));
    expect(ended.sort()).toEqual(Array.from({ length: ASKS }, (_, n) => nameOf(n)).sort());
    expect(agent.parked).toBe(0);
    const delivered = new Map<string, number>();
    const page = ({ cursor }: { cursor?: string }) =>
      person.events.list({ limit: 500, ...(cursor !== undefined && { after: Number(cursor) }) });
    for await (const event of every(page))
      if (event.type === 'ask.delivered')
        delivered.set(String(event.ask_id), (delivered.get(String(event.ask_id)) ?? 0) + 1);
    expect(delivered.size).toBe(ASKS);
    expect([...delivered.values()].every((times) => times === 1)).toBe(true);
    await server.end('SIGTERM');
  },
);
