// Replays the events of tokens into the columns that they determine of their rows. Tokens are in the log of the system session.
import { labelKey } from './label.ts';
import type { Columns } from './log-replay.ts';
import type { Token } from './token.ts';

type Data = Record<string, unknown>;

/** What the log says of a token. `proof`: a keyed hash of what its secret is compared with, which only the server can make. */
export const tokenRecord = (token: Token, proof: string) => ({
  token_id: token.id,
  kind: token.kind,
  scope: token.scope,
  name: token.name,
  session_id: token.sessionId,
  labels: token.labels,
  is_built_in: token.isBuiltIn,
  person: token.person,
  created_at_ms: token.createdAt,
  expires_at_ms: token.expiresAt,
  revoked_at_ms: token.revokedAt,
  proof,
});

export class TokenReplay {
  readonly columns = new Map<string, Columns>();

  /** Version 0.1 logged less: then only what it says is determined. */
  create(data: Data): void {
    const { token_id: id, scope, name, session_id, labels, proof, kind, person, is_built_in } = data;
    const { created_at_ms, expires_at_ms, revoked_at_ms } = data as Record<string, number | undefined>;
    this.columns.set(String(id), {
      ...(proof !== undefined && {
        kind: kind as string,
        hash: proof as string,
        is_built_in: is_built_in ? 1 : 0,
        person: (person as string) ?? null,
        created_at: created_at_ms ?? null,
        expires_at: expires_at_ms ?? null,
      }),
      scope: scope as string,
      name: name as string,
      session_id: (session_id as string) ?? null,
      labels: labels === undefined ? null : labelKey(labels as string[]),
      revoked_at: revoked_at_ms ?? null,
    });
  }

  revoke(at: number, { token_id: id }: Data): void {
    const columns = this.columns.get(String(id));
    if (columns) columns.revoked_at = at;
  }
}
