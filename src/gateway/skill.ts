// Publishes, replaces, lists, returns and deletes skills. A name is published once. A run replaces only what
// a run of its own session published for the same person. The zip was validated before.
import { fail } from '../core/errors.ts';
import type { Ports, Reader, SkillFilter, Tx } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { Skill, SkillView } from '../core/skill.ts';
import type { Actor } from '../core/token.ts';
import { type Ledger, openSession } from './ledger.ts';
import { made, mutate, ok, type Reply } from './mutate.ts';

const MOST_SKILLS = 100;
const MOST_SKILL_BYTES = 64 * 1024 * 1024;

/** A validated zip. */
export interface SkillContent extends Pick<Skill, 'description' | 'version' | 'sha256' | 'size'> {
  /** The one folder in the zip, which has the name of the skill. */
  folder: string;
  /** In base 64. */
  archive: string;
}

export interface PublishCommand {
  name: string;
  namespace: string;
  content: SkillContent;
  actor: Actor;
}

export function publishSkill(ports: Ports, command: PublishCommand): Promise<Reply<SkillView>> {
  const { name, namespace, actor } = command;
  return mutate(ports, undefined, async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    checkName(command.content, name);
    await checkRoom(tx, actor, command.content.size);
    const { archive, folder: _, ...content } = command.content;
    const at = { createdAt: ledger.now, updatedAt: ledger.now };
    const by = { author: actor.person, sessionId: actor.sessionId };
    const skill: Skill = { id: ports.ids.next('skl'), name, namespace, ...content, ...by, ...at };
    if (!(await tx.insert('skill', skill)))
      throw fail('skill_exists', `There is a skill "${name}" in namespace "${namespace}". Overwrite it with PUT.`);
    await tx.insert('skillArchive', { skillId: skill.id, zip: archive });
    await noteSkill(ledger, 'skill.published', skill, actor);
    return made(skillView(skill));
  });
}

export interface ReplaceCommand {
  skillId: string;
  content: SkillContent;
  actor: Actor;
}

export function replaceSkill(ports: Ports, { skillId, content, actor }: ReplaceCommand): Promise<Reply<SkillView>> {
  return mutate(ports, undefined, async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    const before = await skillOf(tx, skillId);
    if (actor.scope === 'skill_identity') checkOwner(before, actor);
    checkName(content, before.name);
    await checkRoom(tx, actor, content.size - before.size, 0);
    const { archive, folder: _, ...rest } = content;
    const skill: Skill = { ...before, ...rest, updatedAt: ledger.now };
    await tx.update('skill', skill);
    await tx.update('skillArchive', { skillId, zip: archive });
    await noteSkill(ledger, 'skill.replaced', skill, actor);
    return ok(skillView(skill));
  });
}

export function deleteSkill(ports: Ports, skillId: string, actor: Actor): Promise<Reply<SkillView>> {
  return mutate(ports, undefined, async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    const skill = await skillOf(tx, skillId);
    await tx.remove('skillArchive', skillId);
    await tx.remove('skill', skillId);
    await noteSkill(ledger, 'skill.deleted', skill, actor);
    return ok(skillView(skill));
  });
}

export const listSkills = (ports: Ports, filter: SkillFilter): Promise<SkillView[]> =>
  ports.store.read(async (r) => (await r.skills(filter)).map(skillView));

/** The zip, in base 64, with its description. */
export const skillArchive = (ports: Ports, skillId: string): Promise<{ skill: SkillView; archive: string }> =>
  ports.store.read(async (r) => {
    const skill = await skillOf(r, skillId);
    return { skill: skillView(skill), archive: (await r.get('skillArchive', skillId))?.zip ?? '' };
  });

function checkOwner({ name, author, sessionId }: Skill, actor: Actor): void {
  if (author !== actor.person)
    throw fail('skill_identity_not_allowed', `"${name}" was published by another person, not by you.`);
  if (sessionId === undefined || sessionId !== actor.sessionId)
    throw fail(
      'skill_identity_not_allowed',
      `"${name}" was not published in this session. A person overwrites it with an operator's token.`,
    );
}

/** What the runs of one person may publish in their name. */
async function checkRoom(tx: Tx, actor: Actor, bytes: number, more = 1): Promise<void> {
  if (actor.scope !== 'skill_identity') return;
  const before = await tx.skillsOf(actor.person);
  if (before.count + more <= MOST_SKILLS && before.bytes + bytes <= MOST_SKILL_BYTES) return;
  throw fail(
    'skills_limit',
    `Runs publish at most ${MOST_SKILLS} skills and ${MOST_SKILL_BYTES} bytes for one person. Delete some with \`holdpoint skills\`, or publish as an operator.`,
  );
}

function checkName({ folder }: SkillContent, name: string): void {
  if (folder !== name)
    throw fail(
      'invalid_skill',
      `This is not the skill "${name}": its zip and the folder in it are called "${folder}".`,
    );
}

async function skillOf(r: Reader, id: string): Promise<Skill> {
  const skill = await r.get('skill', id);
  if (!skill) throw fail('skill_not_found', `There is no skill "${id}".`);
  return skill;
}

async function noteSkill(
  ledger: Ledger,
  type: 'skill.published' | 'skill.replaced' | 'skill.deleted',
  s: Skill,
  by: Actor,
) {
  const { id: skill_id, name, namespace, sha256 } = s;
  ledger.note(type, { skill_id, name, namespace, sha256, by: by.name, scope: by.scope });
  await ledger.close();
}

const skillView = (s: Skill): SkillView => ({
  id: s.id,
  name: s.name,
  namespace: s.namespace,
  description: s.description,
  ...(s.version !== undefined && { version: s.version }),
  sha256: s.sha256,
  size: s.size,
  created_at_ms: s.createdAt,
  updated_at_ms: s.updatedAt,
});
