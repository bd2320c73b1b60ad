// The rules that people took in a session of Claude Code, and whether it has them in force: while the session plans it has
// not, and judges calls as it does without them. They are a layer of its settings, which it changes on request. Owns that
// layer; what a rule covers is known to Claude Code alone, and so is what is in force: unless it says so, all of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { allowedIn, applySettings, getSettings } from './protocol.ts';

export interface Rules {
  /** One more, as settings take it; in force with the next call. */
  take(rule: string): void;
  /** Resolves when Claude Code has been asked for those that are to be in force, and has said which are. */
  suit(isPlanning: boolean): Promise<void>;
  /** It has replied to a request: perhaps to one of these. */
  replied(requestId: string, response: unknown): void;
  /** The tools that the rules name which may be in force. */
  tools(): string[];
}

/** It replies at once, or never will. */
const REPLIES_WITHIN_MS = 5000;

/** `before`: the rules that were taken before its process was started. */
export function createRules(
  before: readonly string[],
  send: (line: string) => void,
  withinMs = REPLIES_WITHIN_MS,
): Rules {
  const taken = new Set(before);
  let inForce: readonly string[] | undefined = [];
  let suiting: Promise<void> = Promise.resolve();
  let asked = 0;
  const waiting = new Map<string, (response: unknown) => void>();

  async function put(wanted: readonly string[]): Promise<void> {
    if (wanted.join('\n') === inForce?.join('\n')) return;
    asked += 1;
    const requestId = `rules-${asked}`;
    const reply = new Promise<unknown>((resolve) => waiting.set(requestId, resolve));
    send(applySettings(`${requestId}-apply`, { permissions: { allow: wanted } }));
    send(getSettings(requestId));
    inForce = allowedIn(await Promise.race([reply, sleep(withinMs, undefined, { ref: false })]));
  }

  return {
    take: (rule) => void taken.add(rule),
    suit(isPlanning) {
      suiting = suiting.then(() => put(isPlanning ? [] : [...taken]));
      return suiting;
    },
    replied(requestId, response) {
      waiting.get(requestId)?.(response);
      waiting.delete(requestId);
    },
    tools: () => (inForce ?? [...taken]).map((rule) => rule.replace(/\(.*/s, '')),
  };
}
