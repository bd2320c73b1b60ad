// Defines the sign-in of a browser: a link with a single-use, short-lived code, exchanged for a cookie that holds a token
// like any other. Owns both lifetimes and why a link is refused.
import { type Refusal, refuse } from './errors.ts';
import type { Scope } from './token.ts';

/** Long enough to start the server, find the link and click it; too short to be worth finding in a log. */
export const LINK_TTL_MS = 10 * 60_000;
export const BROWSER_TTL_MS = 7 * 24 * 60 * 60_000;
/** Links are kept this long after their end, so that a late click gets an explanation. */
export const LINK_MEMORY_MS = 24 * 60 * 60_000;

/** Scopes that a link may grant. */
export const SIGN_IN_SCOPES = ['operator', 'viewer'] as const satisfies readonly Scope[];

export interface SignInLink {
  hash: string;
  scope: (typeof SIGN_IN_SCOPES)[number];
  /** The person it is for, chosen by the creator of the link; the person who uses it cannot change it. */
  name: string | undefined;
  createdAt: number;
  expiresAt: number;
  usedAt: number | undefined;
}

const ANOTHER = 'Get another one: `holdpoint sign-in` prints it on the machine of the server.';

export const unknownLink: Refusal = refuse(
  'sign_in_link_unknown',
  `This link is unknown here: it is old, or of another server. ${ANOTHER}`,
);

export function linkRefusal(link: SignInLink, now: number): Refusal | undefined {
  if (link.usedAt !== undefined)
    return refuse('sign_in_link_used', `This link was already used, and works only once. ${ANOTHER}`);
  if (link.expiresAt <= now)
    return refuse('sign_in_link_expired', `This link was good for ${LINK_TTL_MS / 60_000} minutes. ${ANOTHER}`);
  return undefined;
}
