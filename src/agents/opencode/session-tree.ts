// Reads which conversation a session of OpenCode belongs to. Its sub-agents are sessions below the session that started them,
// and a request names only its own session. Knows no request.
import { storable, truncate } from '../../core/text-limit.ts';
import type { Api } from './api.ts';
import type { Session } from './protocol.ts';

const LABEL_CHARACTERS = 300;
/** More than OpenCode nests, and the most that an ask takes. */
const MAX_DEPTH = 20;

/** `root`: the conversation. `lineage`: the sub-agents below it down to the session. */
interface Place {
  root: Session;
  lineage: string[];
}

/** Reads every session at most once, unless that failed. */
export function createSessionTree(api: Pick<Api, 'session'>) {
  const sessions = new Map<string, Promise<Session>>();

  function read(directory: string, id: string): Promise<Session> {
    const reading = sessions.get(id) ?? api.session(directory, id);
    sessions.set(id, reading);
    reading.catch(() => sessions.delete(id));
    return reading;
  }

  return {
    async placeOf(directory: string, sessionId: string): Promise<Place> {
      const lineage: string[] = [];
      let session = await read(directory, sessionId);
      while (session.parentID && lineage.length < MAX_DEPTH) {
        lineage.unshift(nameOf(session));
        session = await read(directory, session.parentID);
      }
      return { root: session, lineage };
    },
  };
}

/** As `general: look for the bug`. OpenCode appends `(@general subagent)` to the task. */
function nameOf({ id, agent, title }: Session): string {
  const task = (title ?? '').replace(/\s*\(@[^)]* subagent\)$/, '');
  return truncate(storable([agent, task].filter(Boolean).join(': ')), LABEL_CHARACTERS) || id;
}
