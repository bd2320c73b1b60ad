// Computes the deadline of an ask from an instant or a duration. It is stored with the ask and compared with the clock at
// every read and write.
import { fail } from '../core/errors.ts';

interface ExpiryBody {
  expires_at_ms?: number | undefined;
  expires_after_ms?: number | undefined;
}

/** Called for an ask that is new: the repeat of one that has expired meanwhile is answered with that ask. */
export function checkDeadline(expiresAt: number | undefined, now: number): void {
  if (expiresAt !== undefined && expiresAt <= now)
    throw fail('invalid_ask', `expires_at_ms: ${expiresAt} has passed; it must be later than now, ${now}.`);
}

export function expiryOf(body: ExpiryBody, now: number): number | undefined {
  if (body.expires_at_ms !== undefined && body.expires_after_ms !== undefined)
    throw fail('invalid_ask', 'Give expires_at_ms or expires_after_ms, not both.');
  if (body.expires_after_ms !== undefined) return now + body.expires_after_ms;
  return body.expires_at_ms;
}
