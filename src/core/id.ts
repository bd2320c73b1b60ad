// Makes ids: a prefix for the kind of record, then characters that sort by time. An ask's id derives from its run and the
// agent's tool call, so that a repeated call is the same ask.
import type { Hash } from './digest.ts';

export type IdPrefix = 'ses' | 'run' | 'msg' | 'tok' | 'itm' | 'out' | 'wrk' | 'skl' | 'grt' | 'con' | 'ntc' | 'cmt';

/** Ids that people may choose themselves: sessions, agents, projects, channels. */
export const CHOSEN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export const askIdOf = (runId: string, toolCallId: string, hash: Hash): string =>
  `ask_${runId.replace(/^run_/, '')}_${hash(toolCallId).slice(0, 16)}`;

/** A clarification is asked in a run of the parent's session, and named after the child's. */
export const isClarificationId = (askId: string, runId: string): boolean =>
  !askId.startsWith(`ask_${runId.replace(/^run_/, '')}_`);

export const messageIdOf = (requestId: string): string => `msg_${requestId.replace(/^ask_/, '')}`;

/** Begins the call ids that the MCP tools choose for clients that send none. */
export const PLAIN_CALL = 'mcp_';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** 48 bits of time and 80 random bits, in 26 characters that sort as the instants do. */
export function sortableId(prefix: IdPrefix, at: number, random: Uint8Array): string {
  let time = '';
  for (let rest = at, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = CROCKFORD[rest % 32] + time;
  let tail = '';
  for (const byte of random) tail += CROCKFORD[byte % 32];
  return `${prefix}_${time}${tail}`;
}
