// Names the sub-agents that a request comes from. Codex's sub-agents are threads below the thread that spawned them, and a
// request names only its own thread, so the ancestors are read from Codex. Knows no request.
import { z } from 'zod';
import { fittingText } from '../kit/fitting-text.ts';
import type { Peer } from '../wire/json-rpc.ts';

const text = z.string().nullish();
const ThreadReply = z.looseObject({
  thread: z.looseObject({
    parentThreadId: text,
    agentNickname: text,
    agentRole: text,
    name: text,
    preview: text,
    source: z.unknown(),
  }),
});
type Thread = z.infer<typeof ThreadReply>['thread'];

export interface Lineage {
  /** The sub-agents below `root` down to this thread; without a root, starting with the conversation they belong to. */
  of(threadId: string, root?: string): Promise<string[]>;
}

const LABEL_CHARACTERS = 300;
/** More than Codex nests, and the most that an ask takes. */
const MAX_DEPTH = 20;

export function createLineage(peer: Pick<Peer, 'request'>): Lineage {
  const known = new Map<string, Promise<Thread | undefined>>();

  function read(threadId: string): Promise<Thread | undefined> {
    const reading =
      known.get(threadId) ??
      peer.request('thread/read', { threadId }).then(
        (reply) => ThreadReply.safeParse(reply).data?.thread,
        () => undefined,
      );
    known.set(threadId, reading);
    return reading;
  }

  return {
    async of(threadId, root) {
      const names: string[] = [];
      for (let id = threadId; id !== root && names.length < MAX_DEPTH; ) {
        const thread = await read(id);
        const isSub = thread === undefined ? root !== undefined : isSubAgent(thread);
        if (!isSub) return names.length > 0 ? [titleOf(thread) ?? id, ...names] : [];
        names.unshift(thread ? nameOf(thread, id) : id);
        const above = thread?.parentThreadId;
        if (!above) return names;
        id = above;
      }
      return names;
    },
  };
}

const isSubAgent = ({ parentThreadId, source }: Thread): boolean =>
  Boolean(parentThreadId) || (typeof source === 'object' && source !== null && 'subAgent' in source);

/** The preview rather than the name, which Codex may set later: an ask that is raised again must be identical. */
const titleOf = (thread: Thread | undefined): string | undefined =>
  fittingText((thread?.preview || thread?.name || '').trim(), LABEL_CHARACTERS) || undefined;

/** As `worker Dirac: look for the bug`: role, nickname and task. */
function nameOf(thread: Thread, id: string): string {
  const who = [thread.agentRole, thread.agentNickname].filter(Boolean).join(' ');
  return fittingText([who, titleOf(thread)].filter(Boolean).join(': '), LABEL_CHARACTERS) || id;
}
