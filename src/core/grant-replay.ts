// Replays the events of grants into the columns that they determine of their rows. How often a grant was used is in the logs
// of the sessions that used it, and not determined here.
import { canonical, type Hash } from './digest.ts';
import type { Columns, Expected } from './log-replay.ts';

type Data = Record<string, unknown>;

export class GrantReplay {
  readonly columns = new Map<string, Columns>();
  readonly #hash: Hash;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  give(sessionId: string, at: number, { grant_id: id, request_id, matches, files, ...data }: Data): void {
    const { scope, target, work_folder, tool, most_uses, expires_at_ms, given_by } = data as Columns;
    this.columns.set(String(id), {
      ask_id: String(request_id),
      session_id: sessionId,
      scope: scope ?? null,
      target: target ?? null,
      work_folder: work_folder ?? null,
      tool: tool ?? null,
      matches: this.#json(matches),
      files: this.#json(files),
      most_uses: most_uses ?? null,
      expires_at: expires_at_ms ?? null,
      given_by: given_by ?? null,
      created_at: at,
      revoked_at: null,
      revoked_by: null,
    });
  }

  revoke(at: number, { grant_id: id, revoked_by }: Data): void {
    const columns = this.columns.get(String(id));
    if (columns) Object.assign(columns, { revoked_at: at, revoked_by });
  }

  #json = (value: unknown): Expected => (value === undefined ? null : { json: this.#hash(canonical(value)) });
}
