// Identity: tokens, their scopes, and the actor a token makes of a caller.
import type { Surface } from './ask.ts';

export const SCOPES = ['operator', 'viewer', 'agent', 'worker', 'skill_identity', 'attached'] as const;
export type Scope = (typeof SCOPES)[number];

/** How the secret is shown: in a header by programs, in a cookie by a browser that signed in. Neither works as the other. */
export const TOKEN_KINDS = ['bearer', 'browser'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export interface Token {
  id: string;
  kind: TokenKind;
  name: string;
  scope: Scope;
  sessionId: string | undefined;
  hash: string;
  createdAt: number;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
}

/** Who is calling: from the token, never from the body. */
export interface Actor {
  name: string;
  kind: TokenKind;
  scope: Scope;
  tokenId: string;
  sessionId: string | undefined;
  surface: Surface;
  /** When its token stops being good: what it keeps open ends then too. */
  expiresAt?: number | undefined;
}
