// Maps ids of Holdpoint to ids of OpenCode and back, without state. OpenCode's begin with the kind of record, and its
// clients keep lists in the order of their ids.

const ASK = 'ask_';
const SESSION = 'ses_';
/** Before an id that does not begin like one of OpenCode's. */
const FOREIGN = 'ses_.';

type RequestPrefix = 'per_' | 'que_';

export const requestIdOf = (prefix: RequestPrefix, askId: string): string => prefix + askId.slice(ASK.length);
export const askIdOf = (requestId: string): string => ASK + requestId.slice('per_'.length);

export const sessionIdOf = (id: string): string =>
  id.startsWith(SESSION) && !id.startsWith(FOREIGN) ? id : FOREIGN + id;

/** Undefined where no session has this id. */
export function ownSessionId(given: string): string | undefined {
  const id = given.startsWith(FOREIGN) ? given.slice(FOREIGN.length) : given;
  return sessionIdOf(id) === given ? id : undefined;
}

/** Sorts by the instant, then by the suffix. */
export const messageIdOf = (atMs: number, suffix: string): string => `msg_${String(atMs).padStart(15, '0')}_${suffix}`;
export const partIdOf = (messageId: string): string => `prt_${messageId.slice('msg_'.length)}`;
