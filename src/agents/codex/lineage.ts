// Names the sub-agents that a request comes from. Codex's sub-agents are threads below the thread that spawned them, and a
// request names only its own thread, so the ancestors are read from Codex. Knows no request.
import type { z } from 'zod';
import { storable, truncate } from '../../core/text-limit.ts';
import type { Peer } from '../wire/json-rpc.ts';
import { ThreadReply } from './protocol.ts';

type Thread = z.infer<typeof ThreadReply>['thread'];

const LABEL_CHARACTERS = 300;
/** More than Codex nests, and the most that an ask takes. */
const MAX_DEPTH = 20;

/** Reads every thread at most once. */
export function createLineageOf(peer: Pick<Peer, 'request'>) {
  const threads = new Map<string, Promise<Thread | undefined>>();

  function read(threadId: string): Promise<Thread | undefined> {
    const reading =
      threads.get(threadId) ??
      peer.request('thread/read', { threadId }).then(
        (reply) => ThreadReply.safeParse(reply).data?.thread,
        () => undefined,
      );
    threads.set(threadId, reading);
    return reading;
  }

  /** The sub-agents below `root` down to the thread; without a root, starting with the conversation they belong to. */
  return async (threadId: string, root?: string): Promise<string[]> => {
    const names: string[] = [];
    for (let id = threadId; id !== root && names.length < MAX_DEPTH; ) {
      const thread = await read(id);
      const isSub = thread === undefined ? root !== undefined : isSubAgent(thread);
      if (!isSub) return names.length > 0 ? [titleOf(thread) ?? id, ...names] : [];
      names.unshift(thread ? nameOf(thread, id) : id);
      if (!thread?.parentThreadId) return names;
      id = thread.parentThreadId;
    }
    return names;
  };
}

const isSubAgent = ({ parentThreadId, source }: Thread): boolean =>
  Boolean(parentThreadId) || (typeof source === 'object' && source !== null && 'subAgent' in source);

/** The preview rather than the name, which Codex may set later: an ask that is raised again must be identical. */
const titleOf = (thread: Thread | undefined): string | undefined =>
  truncate(storable((thread?.preview || thread?.name || '').trim()), LABEL_CHARACTERS) || undefined;

/** As `worker Dirac: look for the bug`: role, nickname and task. */
function nameOf(thread: Thread, id: string): string {
  const who = [thread.agentRole, thread.agentNickname].filter(Boolean).join(' ');
  return truncate(storable([who, titleOf(thread)].filter(Boolean).join(': ')), LABEL_CHARACTERS) || id;
}
