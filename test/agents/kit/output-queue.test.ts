// The outputs of an agent that writes faster than they can be stored: a bounded number waits, the rest is counted.
import { describe, expect, it } from 'vitest';
import type { OutputOptions } from '../../../src/agents/agent.ts';
import { createConversationOutputs, createOutputQueue } from '../../../src/agents/kit/output-queue.ts';

interface Stored extends OutputOptions {
  text: string | undefined;
}

const MANY = 50_000;
const MARKER = /^(\d+) outputs are left out here/;

/** A server that stores nothing until `open` is called. */
function slowServer() {
  const stored: Stored[] = [];
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const output = async (text: string | undefined, options: OutputOptions = {}) => {
    await promise;
    stored.push({ text, ...options });
  };
  const leftOut = () => stored.map(({ text }) => Number(MARKER.exec(text ?? '')?.[1] ?? 0)).reduce((a, b) => a + b, 0);
  return { context: { output }, stored, open, leftOut };
}

describe('an agent that writes without end', () => {
  it('leaves outputs out once too much waits, and says how many where they would be', async () => {
    const { context, stored, open, leftOut } = slowServer();
    const queue = createOutputQueue(context);
    for (let i = 0; i < MANY; i++) void queue.output(`${i} ${'x'.repeat(1000)}`, { type: 'text' });
    open();
    await queue.flush();
    const texts = stored.filter(({ type }) => type === 'text');
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.length).toBeLessThan(MANY / 10);
    expect(leftOut()).toBe(MANY - texts.length);
    expect(texts.map(({ text }) => Number.parseInt(text ?? '', 10))).toEqual(texts.map((_, i) => i));
    expect(stored.at(-1)?.text).toMatch(MARKER);

    void queue.output('later', { type: 'text' });
    await queue.flush();
    expect(stored.at(-1)).toEqual({ text: 'later', type: 'text' });
  });

  it('counts long texts by their length', async () => {
    const { context, stored, open, leftOut } = slowServer();
    const queue = createOutputQueue(context);
    for (let i = 0; i < 100; i++) queue.status('x'.repeat(1_000_000));
    open();
    await queue.flush();
    expect(stored.length).toBeLessThan(15);
    expect(leftOut()).toBe(100 - (stored.length - 1));
  });

  it('keeps state with data, and pushed work', async () => {
    const { context, stored, open } = slowServer();
    const queue = createOutputQueue(context);
    let pushed = 0;
    for (let i = 0; i < MANY; i++) queue.status('noise');
    for (let i = 0; i < 10; i++) {
      void queue.output(undefined, { id: `mode-${i}`, type: 'mode', data: { i } });
      void queue.push(async () => {
        pushed += 1;
      });
    }
    open();
    await queue.flush();
    expect(pushed).toBe(10);
    expect(stored.filter(({ type }) => type === 'mode')).toHaveLength(10);
  });

  it('repeats what identifies a conversation among the outputs that are stored', async () => {
    const { context, stored, open, leftOut } = slowServer();
    const outputs = createConversationOutputs(context, 'thread');
    const followed = outputs.follow({ thread_id: 't' });
    for (let i = 0; i < MANY; i++) outputs.report(`${i}`, { type: 'text' });
    open();
    await followed;
    await outputs.flush();
    const texts = stored.filter(({ type }) => type === 'text');
    expect(leftOut()).toBe(MANY - texts.length);
    expect(stored.filter(({ type }) => type === 'thread')).toHaveLength(1 + Math.floor(texts.length / 40));
  });
});
