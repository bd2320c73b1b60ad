// Which call a request for permission is about. A PermissionRequest hook does not name it, so it is paired with the
// PreToolUse events of the same thread, tool and input that have no result yet. If several match, the newest names the
// ask; the first of them to end settles the request that was allowed here, else the oldest one. A wrong pair withdraws a
// wrong ask; it never carries a decision, which travels with its own request. Pure.
import { canonical } from '../../core/digest.ts';

/** The session itself, or one of its sub-agents. */
export interface Thread {
  agentId: string | undefined;
}

export interface Request extends Thread {
  /** What the ask is called: the id of a call that no other request of the conversation has ever had, or nothing. */
  callId: string | undefined;
  /** The calls it may be about. */
  mayBe: Set<string>;
  /** Somebody has allowed it here: it is the first to be over. */
  isAllowed?: boolean;
}

export interface Call extends Thread {
  tool: string;
  /** In canonical form. */
  input: string;
}

/** Half a character has no canonical form; what has one is compared by it. */
export function comparable(input: Record<string, unknown>): string {
  try {
    return canonical(input);
  } catch {
    return JSON.stringify(input);
  }
}

/** What is never heard to be over must not pile up. */
const AT_MOST = 200;

export function createCalls<R extends Request>() {
  const live = new Map<string, Call>();
  /** Some models reuse call ids: an ask that was decided must not be found again under the same name. */
  const named = new Set<string>();
  const requests = new Set<R>();

  return {
    announce(id: string, call: Call): void {
      live.delete(id);
      live.set(id, call);
      bound(live);
    },

    /** A request has come; `make` completes what is kept of it. */
    asked(call: Call, make: (request: Request) => R): R {
      const mayBe = fitting(call);
      const callId = mayBe.findLast((id) => !named.has(id));
      if (callId !== undefined) named.add(callId);
      const request = make({ callId, agentId: call.agentId, mayBe: new Set(mayBe) });
      requests.add(request);
      bound(requests);
      return request;
    },

    /** A call is over, however it ended: so is the request that it was about. */
    over(id: string): R | undefined {
      live.delete(id);
      const fits = [...requests].filter(({ mayBe }) => mayBe.has(id));
      const about = fits.find(({ isAllowed }) => isAllowed) ?? fits[0];
      if (about) requests.delete(about);
      for (const { mayBe } of requests) mayBe.delete(id);
      return about;
    },

    /** Whether a call was announced that is not over. */
    isLive: (): boolean => live.size > 0,

    /** What is known to be over without being told of its call. Where several fit, which one it was is not known. */
    settled(request: R): void {
      if (request.mayBe.size > 1) requests.delete(request);
    },

    /** A thread has come to its end, or all of them have: so have its calls and requests. */
    ended(isOf: (thread: Thread) => boolean): void {
      for (const [id, call] of live) if (isOf(call)) live.delete(id);
      for (const request of requests) if (isOf(request)) requests.delete(request);
    },
  };

  /** Other hooks may change an input after it was announced: then the one call of that tool it can be. */
  function fitting({ agentId, tool, input }: Call): string[] {
    const sure = new Set([...requests].flatMap(({ mayBe }) => (mayBe.size === 1 ? [...mayBe] : [])));
    const open = [...live].filter(([id, call]) => call.agentId === agentId && call.tool === tool && !sure.has(id));
    const same = open.filter(([, call]) => call.input === input);
    return (same.length > 0 || open.length > 1 ? same : open).map(([id]) => id);
  }
}

function bound(collection: Map<string, unknown> | Set<unknown>): void {
  if (collection.size <= AT_MOST) return;
  const [oldest] = collection.keys();
  collection.delete(oldest as string);
}
