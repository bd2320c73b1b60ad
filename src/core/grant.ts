// Defines a grant: what a person allows from now on by answering "always", where it applies and until when. It answers only
// what would otherwise be asked. grant-pattern.ts says which calls it may name; rule-set.ts matches them.
//
//   given ──last use | expiry──► over        given ──revoke──► revoked
import { z } from 'zod';
import type { ApprovalContent, NamedFile } from './ask.ts';
import { instant } from './fields.ts';
import { escapeGlob } from './glob.ts';
import { namesAll } from './grant-pattern.ts';
import { labelKey } from './label.ts';
import { Matches, type SourcedRule } from './rule.ts';
import type { Session } from './session.ts';

export const GRANT_SCOPES = ['session', 'project', 'person'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

export interface Grant {
  id: string;
  /** The ask that was answered with it, and its session, in whose log it is. */
  askId: string;
  sessionId: string;
  scope: GrantScope;
  /** What the scope means: sessions with this target are covered. */
  target: string;
  /** Only calls in this folder; undefined: in any. */
  workFolder: string | undefined;
  tool: string;
  matches: Matches | undefined;
  /** Files that the command named, as they were: a call that names one of them in another state is asked. */
  files: NamedFile[] | undefined;
  uses: number;
  mostUses: number | undefined;
  expiresAt: number | undefined;
  givenBy: string;
  createdAt: number;
  revokedAt: number | undefined;
  revokedBy: string | undefined;
}

/** What a person says with "always". */
export const Always = z.strictObject({
  scope: z
    .enum(GRANT_SCOPES)
    .optional()
    .describe(
      'Where: in this session (the default); in sessions of the same project; in sessions that the same person started',
    ),
  matches: Matches.optional().describe(
    'Which calls of the tool, as in a rule; arguments that it does not name are as in this call, and by default all are. An empty one: every call',
  ),
  uses: z.int().positive().max(1_000_000).optional().describe('For so many calls'),
  expires_after_ms: z.int().positive().max(3_155_760_000_000).optional().describe('For so long'),
});
export type Always = z.infer<typeof Always>;

export const isUsable = ({ revokedAt, expiresAt, uses, mostUses }: Grant, now: number): boolean =>
  revokedAt === undefined &&
  (expiresAt === undefined || expiresAt > now) &&
  (mostUses === undefined || uses < mostUses);

type Target = Pick<Session, 'id' | 'projectIds' | 'workFolder' | 'labels'>;

export const sessionTarget = ({ id }: Pick<Session, 'id'>): string => `session:${id}`;
export const personTarget = (person: string): string => `person:${person}`;

/** The same project ids; without any, the same folder on machines with the same labels. Undefined: it has no project. */
export function projectTarget({ projectIds, workFolder, labels }: Target): string | undefined {
  if (projectIds.length > 0) return `project:${JSON.stringify([...projectIds].sort())}`;
  return workFolder === undefined ? undefined : `folder:${JSON.stringify([labelKey(labels), workFolder])}`;
}

/** The grants that may cover this action, as rules. */
export function rulesOfGrants(
  grants: readonly Grant[],
  { input, files = [] }: ApprovalContent,
  workFolder: string | undefined,
): SourcedRule[] {
  const isSame = (grant: Grant) =>
    files.every(({ path, sha256 }) => (grant.files?.find((f) => f.path === path)?.sha256 ?? sha256) === sha256);
  return grants
    .filter(
      (grant) =>
        (grant.workFolder === undefined || grant.workFolder === workFolder) &&
        isSame(grant) &&
        namesAll(grant.matches, input),
    )
    .map(({ id, tool, matches }) => ({
      rule: { tool: escapeGlob(tool), ...(matches && { matches }), action: 'allow' },
      source: 'grant',
      origin: id,
      position: 1,
    }));
}

export const GrantView = z.object({
  grant_id: z.string(),
  request_id: z.string(),
  session_id: z.string(),
  scope: z.enum(GRANT_SCOPES),
  target: z.string().describe('Sessions of this target are covered'),
  work_folder: z.string().optional().describe('Only calls in this folder'),
  tool: z.string(),
  matches: Matches.optional(),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })).optional(),
  uses: z.int().nonnegative(),
  most_uses: z.int().positive().optional(),
  expires_at_ms: instant.optional(),
  given_by: z.string(),
  created_at_ms: instant,
  revoked_at_ms: instant.optional(),
  revoked_by: z.string().optional(),
  is_usable: z.boolean().describe('Neither revoked nor expired nor used up'),
});
export type GrantView = z.infer<typeof GrantView>;

export const PastCall = z.object({
  request_id: z.string().describe('The latest such call'),
  tool_name: z.string(),
  text: z.string().describe('The beginning of its command, or of its input as JSON'),
  calls: z.int().positive().describe('How often exactly this was asked'),
  created_at_ms: instant,
});
export type PastCall = z.infer<typeof PastCall>;

export const GrantPreview = z.object({
  covers_request: z.boolean(),
  reason: z.string().describe('Why it covers the request, or what would not be accepted'),
  tool: z.string(),
  matches: Matches.optional(),
  suggestions: z
    .array(Matches)
    .describe('What may be given, the narrowest first; an empty one: every call of the tool'),
  would_match: z.array(PastCall).describe('Past calls of this session that it would have allowed'),
  would_not_match: z.array(PastCall).describe('Past calls of the same tool that would have been asked all the same'),
  looked_at: z.int().nonnegative().describe('How many past approvals of the session were compared'),
});
export type GrantPreview = z.infer<typeof GrantPreview>;
