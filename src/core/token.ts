// Defines tokens, their scopes, and the actor that a token identifies.
import type { Surface } from './ask.ts';

export const SCOPES = ['operator', 'viewer', 'agent', 'worker', 'skill_identity', 'attached'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where the secret is sent: by programs in a header, by a browser in a cookie. Neither works as the other. */
export const TOKEN_KINDS = ['bearer', 'browser'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export interface Token {
  id: string;
  kind: TokenKind;
  name: string;
  scope: Scope;
  sessionId: string | undefined;
  /** Of a worker: the labels of the work it may claim, as a worker with these labels does. Undefined: any. */
  labels: string[] | undefined;
  /** The token of a server's own worker, which may serve every attached agent. */
  isBuiltIn: boolean;
  /** Where the person chose the name themselves: the id that their drafts and skills belong to. Otherwise the name is it. */
  person: string | undefined;
  hash: string;
  createdAt: number;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
}

/** The caller: from the token, never from the body. */
export interface Actor {
  name: string;
  /** Whose drafts and skills are the caller's own. */
  person: string;
  kind: TokenKind;
  scope: Scope;
  tokenId: string;
  sessionId: string | undefined;
  /** As of its token. */
  labels?: string[] | undefined;
  isBuiltIn?: boolean | undefined;
  surface: Surface;
  /** When its token expires, and with it every open stream. */
  expiresAt?: number | undefined;
}

export const personOf = ({ person, name }: Pick<Token, 'person' | 'name'>): string => person ?? name;
