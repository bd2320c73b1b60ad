// Restricts a list to the session of a caller that may see no other.
import { fail } from '../../core/errors.ts';
import type { Actor } from '../../core/token.ts';

export function ownSession(actor: Actor, wanted: string | undefined): string | undefined {
  if (actor.sessionId === undefined) return wanted;
  if (wanted === undefined || wanted === actor.sessionId) return actor.sessionId;
  throw fail('session_forbidden', `This token belongs to session ${actor.sessionId}; it cannot see others.`);
}
