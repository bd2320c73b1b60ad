// Where no daemon runs (`codex --no-daemon`, `codex exec`), a hook of Codex asks: it is called with what Codex wants to
// do, waits for a person here, and says what they decided. Whatever goes wrong it says nothing, and Codex asks at its own
// prompt as if there were no hook: silence is no decision.
import { z } from 'zod';
import type { Client } from '../client/client.ts';
import type { Waits } from '../client/waits.ts';
import { canonical } from '../core/digest.ts';
import { HOOK_CALL, openAttachedRun } from './attached-run.ts';
import { HOOK_SECONDS } from './codex-settings.ts';
import { createPeer } from './wire/jsonrpc.ts';

const HookEvent = z.looseObject({
  hook_event_name: z.literal('PermissionRequest'),
  session_id: z.string().regex(/^[\w.-]{1,100}$/),
  cwd: z.string().min(1),
  tool_name: z.string().min(1).max(256),
  tool_input: z.record(z.string(), z.unknown()),
});

interface HookParts {
  client: Client;
  waits: Waits;
  signal: AbortSignal;
  /** Opens the conversation with the daemon, if one runs. */
  open(onText: (text: string) => void): Promise<{ send(text: string): void; hangUp(): void; ended: Promise<void> }>;
}

/** The ask ends a little before Codex would give the hook up. */
const MARGIN_MS = 60_000;

/** What the hook prints; undefined: nothing. */
export async function decideByCodexHook(payload: unknown, parts: HookParts): Promise<object | undefined> {
  const read = HookEvent.safeParse(payload);
  if (!read.success) return undefined;
  const { session_id, cwd, tool_name, tool_input } = read.data;
  if (await daemonHas(session_id, parts.open)) return undefined;
  const { client, waits, signal } = parts;
  const { description, ...wanted } = tool_input;
  const input = { ...wanted, cwd };
  const call = crypto.randomUUID();
  const conversation = { agent: 'codex', id: session_id, folder: cwd };
  const run = await openAttachedRun(client, waits, conversation, { id: call, text: `${tool_name} in ${cwd}` }, signal);
  let askId: string | undefined;
  try {
    const outcome = await run.approve(
      {
        id: `${HOOK_CALL}${call}`,
        tool_name,
        input,
        ...(typeof description === 'string' && { reason: description }),
        ...(typeof wanted.command === 'string' && tool_name === 'apply_patch' && { diff: wanted.command }),
        expires_after_ms: HOOK_SECONDS * 1000 - MARGIN_MS,
      },
      {
        raised: (id) => {
          askId = id;
        },
      },
    );
    await run.end();
    if (outcome.status !== 'answered') return undefined;
    if (!outcome.allowed) return decision('deny', outcome.reason);
    if (canonical(outcome.input) === canonical(input)) return decision('allow');
    return decision(
      'deny',
      `The person allows this instead, so ask for exactly that: ${JSON.stringify(outcome.input)}`,
    );
  } catch (error) {
    if (askId !== undefined)
      await client.runs.fail(run.run.run_id, { error: 'Codex gave the hook up' }).catch(() => {});
    throw error;
  }
}

const decision = (behavior: 'allow' | 'deny', message?: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: message === undefined ? { behavior } : { behavior, message },
  },
});

/** A thread of the daemon is asked for through the daemon, where its own prompt stays open beside ours. */
async function daemonHas(threadId: string, open: HookParts['open']): Promise<boolean> {
  const peer = createPeer({ send: (text) => talk?.send(text), onRequest: () => {}, onNotification: () => {} });
  const talk = await open(peer.receive).catch(() => undefined);
  if (!talk) return false;
  void talk.ended.then(() => peer.close(new Error('the daemon is gone')));
  try {
    await peer.request('initialize', { clientInfo: { name: 'holdpoint', version: '0' } });
    peer.notify('initialized');
    const loaded = z.looseObject({ data: z.array(z.string()) }).parse(await peer.request('thread/loaded/list', {}));
    return loaded.data.includes(threadId);
  } catch {
    return false;
  } finally {
    talk.hangUp();
  }
}
