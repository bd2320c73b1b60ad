// A unit of work: what session-unit.ts and notice-unit.ts do, and every other record. Those have no version: where two units
// must not both change one, a lock of this process, a unique key or a comparison at the commit decides. Look-ups that no
// unit makes after a change of its own are answered by the database.
import type { Draft } from '../core/draft.ts';
import type { Grant } from '../core/grant.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import type { Message } from '../core/mailbox.ts';
import type { Output } from '../core/output.ts';
import type { Page, Positioned, Reader, Tx } from '../core/ports.ts';
import type { SignInLink } from '../core/sign-in.ts';
import type { Skill } from '../core/skill.ts';
import type { Token } from '../core/token.ts';
import type { Database } from './database.ts';
import { DELETE_DRAFT, FORGET_DRAFTS, SAVE_DRAFT } from './drafts.ts';
import { INSERT_GRANT, UPDATE_GRANT } from './grants.ts';
import { NoticeUnit } from './notice-unit.ts';
import { insertInto, updateById } from './row-mapping.ts';
import { FORGET_LINKS, INSERT_LINK, USE_LINK } from './sign-in-links.ts';
import { DELETE_SKILL, INSERT_SKILL, UPDATE_SKILL } from './skills.ts';
import { MESSAGE, RESPONSE, type Tables, TOKEN } from './tables.ts';

const UPDATE_MESSAGE = updateById(MESSAGE, ['attempts', 'acked_at', 'dead_at', 'reason']);
const INSERT_TOKEN = insertInto(TOKEN);
const UPDATE_TOKEN = updateById(TOKEN, ['expires_at', 'revoked_at', 'is_built_in']);
const FORGET_RESPONSES = `responses WHERE created_at <= ?`;
const MOST_OUTPUTS = 100;

/** Reads that the database answers as they are. */
type Passed = Omit<Reader, keyof Unit>;

export class Unit extends NoticeUnit {
  readonly #outputs = new Map<string, Output>();
  readonly #messages = new Map<string, Message>();
  readonly #responses = new Map<string, StoredResponse>();
  readonly #grants = new Map<string, Grant>();

  // Idempotency keys

  /** A key that no unit of this server uses is taken to be new at the first attempt; the commit compares. */
  async lockKey(scope: string): Promise<StoredResponse | undefined> {
    const { database, isFresh, lock } = this.context;
    const waited = await lock(`key ${scope}`);
    const own = this.#responses.get(scope);
    if (own) return own;
    if (database.isSole || isFresh || waited) {
      const [row] = await database.sql.all<Tables['responses']>(`SELECT * FROM responses WHERE scope = ?`, [scope]);
      if (row) return RESPONSE.read(row);
    }
    this.changes.expects.newKeys.push(scope);
    return undefined;
  }

  insertResponse(response: StoredResponse): void {
    this.#responses.set(response.scope, response);
    this.changes.rows.responses.push(response);
  }

  forgetResponses(before: number): Promise<number> {
    return this.forget(FORGET_RESPONSES, before);
  }

  // Outputs and messages

  async output(runId: string, id: string): Promise<Output | undefined> {
    return this.#outputs.get(`${runId} ${id}`) ?? this.reader.output(runId, id);
  }

  async outputs(runId: string, bytes?: number): Promise<Output[]> {
    const own = [...this.#outputs.values()].filter((output) => output.runId === runId);
    const stored = await this.reader.outputs(runId, bytes);
    return own.length === 0 ? stored : newest([...stored, ...own], bytes);
  }

  async insertOutput(output: Output): Promise<boolean> {
    if (await this.output(output.runId, output.id)) return false;
    this.#outputs.set(`${output.runId} ${output.id}`, output);
    this.changes.rows.outputs.push(output);
    return true;
  }

  async message(id: string): Promise<Message | undefined> {
    const own = this.#messages.get(id);
    return own ? { ...own } : this.reader.message(id);
  }

  async messages(sessionId: string, which: 'open' | 'dead', page: Page): Promise<Positioned<Message>[]> {
    for (let { after } = page; ; ) {
      const stored = await this.reader.messages(sessionId, which, { ...page, after });
      const found = stored
        .map(({ value, ...at }) => ({ ...at, value: this.#messages.get(value.id) ?? value }))
        .filter(({ value }) => (which === 'open') === (value.deadAt === undefined && value.ackedAt === undefined));
      if (found.length > 0 || stored.length < page.limit) return found;
      after = stored.at(-1)?.at;
    }
  }

  async insertMessage(message: Message): Promise<boolean> {
    if (await this.message(message.id)) return false;
    this.#messages.set(message.id, { ...message });
    this.changes.rows.messages.push(message);
    return true;
  }

  updateMessage(message: Message): void {
    this.#messages.set(message.id, { ...message });
    this.change(...UPDATE_MESSAGE(message));
  }

  // Partial states and forms

  insertPartialState(askId: string, state: string): void {
    this.change(`INSERT INTO partial_states (ask_id, state) VALUES (?, ?)`, [askId, state]);
  }

  async insertForm(sessionId: string, subtaskId: string, askId: string): Promise<boolean> {
    if ((await this.reader.formOf(sessionId, subtaskId)) !== undefined) return false;
    this.change(`INSERT INTO forms (session_id, subtask_id, ask_id) VALUES (?, ?, ?)`, [sessionId, subtaskId, askId]);
    return true;
  }

  // Grants

  async grant(id: string): Promise<Grant | undefined> {
    const own = this.#grants.get(id);
    return own ? { ...own } : this.reader.grant(id);
  }

  /** Sessions of one project use a grant at once: it is compared at the commit. */
  async lockGrants(ids: readonly string[]): Promise<Grant[]> {
    const found: Grant[] = [];
    for (const id of [...ids].sort()) {
      await this.context.lock(`grant ${id}`);
      const grant = await this.grant(id);
      if (!grant) continue;
      const { uses, revokedAt } = grant;
      if (!this.#grants.has(id)) this.changes.expects.grants.push({ id, uses, revokedAt });
      found.push(grant);
    }
    return found;
  }

  insertGrant(grant: Grant): void {
    this.#grants.set(grant.id, { ...grant });
    this.change(...INSERT_GRANT(grant));
  }

  updateGrant(grant: Grant): void {
    this.#grants.set(grant.id, { ...grant });
    this.change(...UPDATE_GRANT(grant));
  }

  // Tokens and links to sign in

  insertToken(token: Token): void {
    this.change(...INSERT_TOKEN(token));
  }

  updateToken(token: Token): void {
    this.change(...UPDATE_TOKEN(token));
  }

  insertSignInLink(link: SignInLink): void {
    this.change(...INSERT_LINK(link));
  }

  useSignInLink(hash: string, now: number): void {
    this.change(USE_LINK, [now, hash]);
  }

  forgetSignInLinks(before: number): Promise<number> {
    return this.forget(FORGET_LINKS, before);
  }

  // Drafts, skills and facts

  saveDraft(draft: Draft): void {
    this.change(...SAVE_DRAFT(draft));
  }

  async deleteDraft(askId: string, author: string): Promise<boolean> {
    if (!(await this.reader.draft(askId, author))) return false;
    this.change(DELETE_DRAFT, [askId, author]);
    return true;
  }

  forgetDrafts(before: number): Promise<number> {
    return this.forget(FORGET_DRAFTS, before);
  }

  async insertSkill(skill: Skill, archive: string): Promise<boolean> {
    const { namespace, name } = skill;
    const [taken] = await this.reader.skills({ namespace, name, isExact: true, skip: 0, limit: 1000 });
    if (taken) return false;
    for (const statement of INSERT_SKILL(skill, archive)) this.change(...statement);
    return true;
  }

  updateSkill(skill: Skill, archive: string): void {
    for (const statement of UPDATE_SKILL(skill, archive)) this.change(...statement);
  }

  deleteSkill(id: string): void {
    for (const statement of DELETE_SKILL(id)) this.change(...statement);
  }

  async keepFact(name: string, value: string): Promise<string> {
    const [row] = await this.context.database.sql.all<Tables['facts']>(`SELECT * FROM facts WHERE name = ?`, [name]);
    if (row) return row.value;
    this.change(`INSERT INTO facts (name, value) VALUES (?, ?)`, [name, value]);
    return value;
  }
}

/** A class whose units read this database. */
export function unitsOf({ reader }: Database): new (...given: ConstructorParameters<typeof Unit>) => Unit & Tx {
  class DatabaseUnit extends Unit {}
  for (const [name, read] of Object.entries(reader as unknown as Record<string, unknown>))
    if (!(name in Unit.prototype)) Object.defineProperty(DatabaseUnit.prototype, name, { value: read });
  return DatabaseUnit as unknown as new (
    ...given: ConstructorParameters<typeof Unit>
  ) => Unit & Passed & Tx;
}

/** The newest of these, up to the one with which they reach the size; in order. */
function newest(outputs: readonly Output[], bytes = Number.MAX_SAFE_INTEGER): Output[] {
  let newer = 0;
  const within = outputs
    .slice(-MOST_OUTPUTS)
    .reverse()
    .filter((output) => {
      const before = newer;
      newer += Buffer.byteLength(JSON.stringify(output.content));
      return before < bytes;
    });
  return within.reverse();
}
