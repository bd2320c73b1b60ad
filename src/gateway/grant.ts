// Gives, previews, uses and revokes grants. A grant is given with the answer "always", in the transaction of that answer, and
// used in the transaction of the call that it covers, so that its uses are counted once each.
import { type ApprovalAsk, type ApprovalContent, boundFiles, type PendingAsk } from '../core/ask.ts';
import { canonical } from '../core/digest.ts';
import { enforce, fail } from '../core/errors.ts';
import {
  type Always,
  type Grant,
  type GrantPreview,
  type GrantView,
  isUsable,
  type PastCall,
  personTarget,
  projectTarget,
  sessionTarget,
} from '../core/grant.ts';
import { checkGranted, completed, exactMatches, suggestMatches } from '../core/grant-pattern.ts';
import { decideByPolicy, grantsOf, type PolicyDecision, type PolicyQuestion, ruledBy } from '../core/policy.ts';
import type { Page, Ports, Reader } from '../core/ports.ts';
import type { ProjectRules } from '../core/rule.ts';
import { COMMAND_ARGUMENTS } from '../core/rule-index.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { truncate } from '../core/text-limit.ts';
import { type Actor, personOf } from '../core/token.ts';
import { type Listed, listed } from './inbox.ts';
import { type Ledger, openSession } from './ledger.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { askRecord, sessionRecord } from './records.ts';
import { grantTargets, ruleSets } from './rule-sources.ts';

/** How many past approvals a preview compares, and how many it shows of each kind. */
const LOOKED_AT = 200;
const SHOWN = 20;
const LONGEST_TEXT = 300;

type Giver = Pick<Actor, 'name' | 'person'>;

interface Asked {
  session: Session;
  askId: string;
  content: ApprovalContent;
}

/** Refuses a grant that would not let this very action pass, or that would cover more than is shown. */
export async function grantFor(
  { ports, tx, now, session }: Pick<Ledger, 'ports' | 'now' | 'session'> & { tx: Reader },
  { id: askId, content }: Pick<ApprovalAsk, 'id' | 'content'>,
  always: Always,
  actor: Giver,
): Promise<Grant> {
  const grant = await describe({ r: tx, ports, now }, { session, askId, content }, always, actor);
  enforce(checkGranted(content, grant.matches));
  const ruled = ruledBy(session, content, { sets: ruleSets(ports, session), grants: [grant] });
  if (ruled.decision !== 'allow')
    throw fail('grant_refused', `The same call would be asked again: ${ruled.explanation}.`);
  return grant;
}

async function describe(
  { r, ports, now }: { r: Reader; ports: Ports; now: number },
  { session, askId, content }: Asked,
  always: Always,
  actor: Giver,
): Promise<Grant> {
  const { scope = 'session', uses, expires_after_ms } = always;
  const isCommand = COMMAND_ARGUMENTS.some((name) => content.input[name] !== undefined);
  return {
    id: ports.ids.next('grt'),
    askId,
    sessionId: session.id,
    scope,
    target: await targetOf(r, session, scope, actor),
    workFolder: scope === 'person' ? undefined : (content.work_folder ?? session.workFolder),
    tool: content.tool_name,
    matches: always.matches ? completed(always.matches, content.input) : exactMatches(content),
    files: isCommand && content.files?.length ? boundFiles(content.files) : undefined,
    uses: 0,
    mostUses: uses,
    expiresAt: expires_after_ms === undefined ? undefined : now + expires_after_ms,
    givenBy: actor.name,
    createdAt: now,
    revokedAt: undefined,
    revokedBy: undefined,
  };
}

async function targetOf(r: Reader, session: Session, scope: Grant['scope'], { person }: Giver): Promise<string> {
  if (scope === 'session') return sessionTarget(session);
  if (scope === 'project') {
    const project = projectTarget(session);
    if (project !== undefined) return project;
    throw fail('grant_refused', 'This session has neither project ids nor a work folder. Use the scope "session".');
  }
  const maker = session.madeBy === undefined ? undefined : await r.get('token', session.madeBy);
  if (maker && personOf(maker) === person) return personTarget(person);
  throw fail(
    'grant_refused',
    'You have not started this session, so a grant for your sessions would not apply here. Use the scope "session" or "project".',
  );
}

/** In the transaction of the answer. */
export async function giveGrant({ tx, note, now }: Ledger, grant: Grant, runId: string): Promise<void> {
  await tx.insert('grant', grant);
  const { is_usable: _, uses: __, ...given } = grantView(grant, now);
  note('grant.given', given, runId, grant.askId);
}

/** What rules and grants decide about a new approval. Grants that decide are locked, looked at again and counted. */
export async function decideApproval(
  ledger: Ledger,
  run: Run,
  ask: Extract<PendingAsk, { kind: 'approval' }>,
  project: ProjectRules | undefined,
): Promise<PolicyDecision | PolicyQuestion> {
  const { ports, tx, session, now } = ledger;
  const sets = ruleSets(ports, session, project);
  const grants = await tx.grantsFor(grantTargets(session), now);
  const decided = decideByPolicy(session, run, ask.content, { sets, grants });
  if (decided.behavior !== 'allow' || !decided.grantIds) return decided;
  const locked = (await tx.lockGrants(decided.grantIds)).filter((grant) => isUsable(grant, now));
  const settled = decideByPolicy(session, run, ask.content, { sets, grants: locked });
  for (const grant of locked)
    if (settled.behavior === 'allow' && settled.grantIds?.includes(grant.id)) {
      grant.uses += 1;
      await tx.update('grant', grant);
      ledger.note('grant.used', { grant_id: grant.id, uses: grant.uses }, run.id, ask.id);
    }
  return settled;
}

export function revokeGrant(ports: Ports, id: string, actor: Actor, key?: Key): Promise<Reply<GrantView>> {
  return mutate(ports, key, async (tx) => {
    const known = await tx.get('grant', id);
    if (!known) throw fail('grant_not_found', `There is no grant "${id}".`);
    const ledger = await openSession(ports, tx, known.sessionId);
    const [grant = known] = await tx.lockGrants([id]);
    if (grant.revokedAt === undefined) {
      Object.assign(grant, { revokedAt: ledger.now, revokedBy: actor.name });
      await tx.update('grant', grant);
      ledger.note('grant.revoked', { grant_id: id, revoked_by: actor.name }, undefined, grant.askId);
      await ledger.close();
    }
    return ok(grantView(grant, ledger.now));
  });
}

export function listGrants(ports: Ports, sessionId: string | undefined, page: Page): Promise<Listed<GrantView>> {
  return listed(
    ports,
    page,
    async (r, p) => {
      if (sessionId !== undefined) await sessionRecord(r, sessionId);
      return r.grants({ sessionId }, p);
    },
    (_, grant) => grantView(grant, ports.clock.now()),
  );
}

/** Stores nothing. Compares with the function that decides, so that nothing else passes later. */
export function previewGrant(ports: Ports, askId: string, always: Always, actor: Actor): Promise<GrantPreview> {
  return ports.store.read(async (r) => {
    const ask = await askRecord(r, askId);
    if (ask.kind !== 'approval')
      throw fail('grant_refused', 'A question is always asked; only an approval takes "always".');
    const session = await sessionRecord(r, ask.sessionId);
    const now = ports.clock.now();
    const asked = { session, askId, content: ask.content };
    const grant = await describe({ r, ports, now }, asked, always, actor);
    const refusal = checkGranted(ask.content, grant.matches);
    const sets = ruleSets(ports, session);
    const ruled = ruledBy(session, ask.content, { sets, grants: refusal ? [] : [grant] });
    const covers = !refusal && ruled.decision === 'allow';
    const past = await pastApprovals(r, session.id);
    const isCovered = (content: ApprovalContent) => {
      const decided = ruledBy(session, content, { sets, grants: [grant] });
      return covers && decided.decision === 'allow' && grantsOf(decided).length > 0;
    };
    const [matched, others] = [true, false].map((wanted) =>
      past.filter(({ content }) => isCovered(content) === wanted),
    );
    return {
      covers_request: covers,
      reason: refusal?.detail ?? ruled.explanation,
      tool: grant.tool,
      ...(grant.matches && { matches: grant.matches }),
      suggestions: suggestMatches(ask.content),
      would_match: pastCalls(matched ?? []),
      would_not_match: pastCalls((others ?? []).filter(({ content }) => content.tool_name === grant.tool)),
      looked_at: past.length,
    };
  });
}

/** The newest first, pending ones before them. */
async function pastApprovals(r: Reader, sessionId: string): Promise<ApprovalAsk[]> {
  const pending = await r.asks({ sessionId, kind: 'approval', status: 'pending' }, { limit: LOOKED_AT });
  const before = Number.MAX_SAFE_INTEGER;
  const stretch = await r.stretch(before, LOOKED_AT, sessionId);
  const ended = stretch ? await r.pastAsks({ sessionId, kind: 'approval', terms: [] }, stretch.low, before) : [];
  return [...pending, ...ended].map(({ value }) => value).filter((ask) => ask.kind === 'approval');
}

/** The same call is shown once. */
function pastCalls(asks: readonly ApprovalAsk[]): PastCall[] {
  const calls = new Map<string, PastCall>();
  for (const { id, content, createdAt } of asks) {
    const { tool_name, input, work_folder = null } = content;
    const key = canonical([tool_name, input, work_folder]);
    const known = calls.get(key);
    if (known) known.calls += 1;
    else calls.set(key, { request_id: id, tool_name, text: textOf(content), calls: 1, created_at_ms: createdAt });
  }
  return [...calls.values()].slice(0, SHOWN);
}

function textOf({ input }: ApprovalContent): string {
  const command = COMMAND_ARGUMENTS.map((name) => input[name]).find((value) => typeof value === 'string');
  return truncate(command ?? JSON.stringify(input), LONGEST_TEXT);
}

const grantView = (grant: Grant, now: number): GrantView => ({
  grant_id: grant.id,
  request_id: grant.askId,
  session_id: grant.sessionId,
  scope: grant.scope,
  target: grant.target,
  ...(grant.workFolder !== undefined && { work_folder: grant.workFolder }),
  tool: grant.tool,
  ...(grant.matches && { matches: grant.matches }),
  ...(grant.files && { files: grant.files }),
  uses: grant.uses,
  ...(grant.mostUses !== undefined && { most_uses: grant.mostUses }),
  ...(grant.expiresAt !== undefined && { expires_at_ms: grant.expiresAt }),
  given_by: grant.givenBy,
  created_at_ms: grant.createdAt,
  ...(grant.revokedAt !== undefined && { revoked_at_ms: grant.revokedAt }),
  ...(grant.revokedBy !== undefined && { revoked_by: grant.revokedBy }),
  is_usable: isUsable(grant, now),
});
