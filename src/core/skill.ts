// Defines a skill: a folder of instructions for an agent, published as a zip. Owns names, sizes and shapes; the content of
// a zip is validated where zips are read.
import { z } from 'zod';
import { instant } from './fields.ts';

export const ARCHIVE_BYTES = 10 * 1024 * 1024;
export const UNPACKED_BYTES = 50 * 1024 * 1024;

/** Usable as the name of a folder on every system. */
export const SKILL_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
/** What a SKILL.md begins with: YAML between two lines of three dashes. */
export const FRONT_MATTER = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;
export const DEFAULT_NAMESPACE = 'default';

export interface Skill {
  id: string;
  name: string;
  namespace: string;
  description: string;
  version: string | undefined;
  /** Of the zip, in hexadecimal. */
  sha256: string;
  size: number;
  /** Who published it. */
  author: string;
  /** The session whose run published it; only runs of that session overwrite it. Undefined: a person published it. */
  sessionId: string | undefined;
  createdAt: number;
  updatedAt: number;
}

export const SkillView = z.object({
  id: z.string(),
  name: z.string(),
  namespace: z.string(),
  description: z.string(),
  version: z.string().optional(),
  sha256: z.string(),
  size: z.int().nonnegative(),
  created_at_ms: instant,
  updated_at_ms: instant,
});
export type SkillView = z.infer<typeof SkillView>;
export const SkillList = z.object({ items: z.array(SkillView) });

/** The person in whose name a run publishes. */
export interface SkillIdentity {
  type: 'skill_identity';
  user_id: string;
  user_name: string;
  runtime_type: 'executor' | 'sandbox';
  runtime_name: string;
  iat: number;
  exp: number;
}

export const SKILL_IDENTITY_VARIABLE = 'WEGENT_SKILL_IDENTITY_TOKEN';

/** What macOS adds to a zip beside the folder. It is not part of the skill. */
export const isMacMetadata = (path: string): boolean => path.startsWith('__MACOSX/');
