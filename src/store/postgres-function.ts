// Declares functions that a server keeps in PostgreSQL, so that their statements are planned once for a connection. The name
// has the digest of the text: servers of two releases each find their own.
import { createHash } from 'node:crypto';

// A plan made for an empty table must serve a full one: only look-ups by index, and the same plan for all arguments.
const PLANS = `SET jit = off SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

export interface PostgresFunction {
  name: string;
  create: string;
}

export function postgresFunction(purpose: string, signature: string, body: string, settings = ''): PostgresFunction {
  const text = `${signature} LANGUAGE plpgsql ${PLANS} ${settings} AS $body$${body}$body$`;
  const name = `holdpoint_${purpose}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return { name, create: `CREATE OR REPLACE FUNCTION ${name}${text}` };
}
