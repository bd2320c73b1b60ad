// Applies the rules that people accepted in a session to its Claude Code process, as one layer of its settings, and removes
// them while it plans. Until Claude Code reports which rules are in effect, all of them may be.
import { setTimeout as sleep } from 'node:timers/promises';
import { allowedIn, applySettings, getSettings } from './protocol.ts';

/** It replies at once or not at all. */
const RESPONDS_WITHIN_MS = 5000;

/** `initial`: the rules that were accepted before the process was started. */
export function createSessionRules(
  initial: readonly string[],
  send: (line: string) => void,
  withinMs = RESPONDS_WITHIN_MS,
) {
  const accepted = new Set(initial);
  let inEffect: readonly string[] | undefined = [];
  let applying: Promise<void> = Promise.resolve();
  let count = 0;
  const waiting = new Map<string, (response: unknown) => void>();

  async function request(wanted: readonly string[]): Promise<void> {
    if (wanted.join('\n') === inEffect?.join('\n')) return;
    count += 1;
    const requestId = `rules-${count}`;
    const response = new Promise<unknown>((resolve) => waiting.set(requestId, resolve));
    send(applySettings(`${requestId}-apply`, { permissions: { allow: wanted } }));
    send(getSettings(requestId));
    inEffect = allowedIn(await Promise.race([response, sleep(withinMs, undefined, { ref: false })]));
  }

  return {
    /** Takes effect with the next `apply`. The rule is in the syntax of settings. */
    add: (rule: string) => void accepted.add(rule),
    /** Resolves when Claude Code has reported which rules are in effect, or did not reply in time. */
    apply(isPlanning: boolean): Promise<void> {
      applying = applying.then(() => request(isPlanning ? [] : [...accepted]));
      return applying;
    },
    /** A response to any request of ours. */
    received(requestId: string, response: unknown): void {
      waiting.get(requestId)?.(response);
      waiting.delete(requestId);
    },
    /** The tools named by the rules that may be in effect. */
    tools: () => (inEffect ?? [...accepted]).map((rule) => rule.replace(/\(.*/s, '')),
  };
}
