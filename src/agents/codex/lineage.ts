// Which agent asks: Codex's sub-agents are threads of their own below the thread that called them, and a request names
// only its thread. Owns who is above whom, as far as Codex tells when asked; knows no request.
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
  /** The sub-agents from below `root` down to this thread; without a root also the conversation they belong to. */
  of(threadId: string, root?: string): Promise<string[]>;
}

const LABEL_CHARACTERS = 300;
/** More than Codex nests; an ask takes no more either. */
const DEEPEST = 20;

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
      for (let id = threadId; id !== root && names.length < DEEPEST; ) {
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

/** Its first words rather than its name, which may be given to it later: an ask that is told again is to be the same. */
const titleOf = (thread: Thread | undefined): string | undefined =>
  fittingText((thread?.preview || thread?.name || '').trim(), LABEL_CHARACTERS) || undefined;

/** As `worker Dirac: look for the bug`: its role, the name Codex gave it, and what it was told to do. */
function nameOf(thread: Thread, id: string): string {
  const who = [thread.agentRole, thread.agentNickname].filter(Boolean).join(' ');
  return fittingText([who, titleOf(thread)].filter(Boolean).join(': '), LABEL_CHARACTERS) || id;
}
