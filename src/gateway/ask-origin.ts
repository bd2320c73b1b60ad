// Describes for people where an ask comes from: session, agent, folder, and the sessions above it. Reads each session once
// for a list of asks.
import type { Ask } from '../core/ask.ts';
import { isClarificationId } from '../core/id.ts';
import type { Reader } from '../core/ports.ts';
import type { Session } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { AskedFrom } from '../core/views.ts';

const MOST_ANCESTORS = 16;

/** Only for people: agents and workers know it. */
export const wantsOrigin = (actor: Actor | undefined): boolean =>
  actor?.scope === 'operator' || actor?.scope === 'viewer';

export interface Origin {
  askedFrom: AskedFrom;
  /** A request may run in another. */
  sessionFolder: string | undefined;
}

export type Origins = (ask: Ask) => Promise<Origin | undefined>;

export function originsOf(r: Reader): Origins {
  const known = new Map<string, Session | undefined>();
  const session = async (id: string): Promise<Session | undefined> => {
    if (!known.has(id)) known.set(id, await r.get('session', id));
    return known.get(id);
  };
  const lineageOf = async (from: Session): Promise<AskedFrom['lineage']> => {
    const above: AskedFrom['lineage'] = [];
    let id = from.parentSessionId;
    while (id !== undefined && above.length < MOST_ANCESTORS) {
      const parent = await session(id);
      if (!parent) break;
      above.unshift(placeOf(parent));
      id = parent.parentSessionId;
    }
    return above;
  };
  const requesterOf = async (ask: Ask) => {
    if (!isClarificationId(ask.id, ask.runId)) return undefined;
    const child = (await r.get('run', ask.runId))?.clarification?.requesterSessionId;
    const found = child === undefined ? undefined : await session(child);
    return found && placeOf(found);
  };
  return async (ask) => {
    const own = await session(ask.sessionId);
    if (!own) return undefined;
    const requester = await requesterOf(ask);
    const folder = (ask.kind === 'approval' ? ask.content.work_folder : undefined) ?? own.workFolder;
    const askedFrom = {
      agent: own.agent,
      agent_id: own.agentId,
      ...(own.title !== undefined && { title: own.title }),
      ...(folder !== undefined && { work_folder: folder }),
      project_ids: own.projectIds,
      lineage: await lineageOf(own),
      ...(requester && { requester }),
    };
    return { askedFrom, sessionFolder: own.workFolder };
  };
}

const placeOf = ({ id, agent, title }: Session) => ({ session_id: id, agent, ...(title !== undefined && { title }) });
