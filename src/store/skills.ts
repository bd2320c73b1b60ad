// Skills, and their zips in a table of their own, so that lists never touch them.
import type { Reader, Tx } from '../core/ports.ts';
import type { Skill } from '../core/skill.ts';
import { insertInto, updateById } from './row-statement.ts';
import type { Sql } from './sql.ts';
import type { SkillArchiveRow, SkillRow } from './tables.ts';

const changing = (s: Skill) => ({
  id: s.id,
  description: s.description,
  version: s.version ?? null,
  sha256: s.sha256,
  size: s.size,
  updated_at: s.updatedAt,
});
const newSkill = (s: Skill) => ({
  name: s.name,
  namespace: s.namespace,
  author: s.author,
  created_at: s.createdAt,
  ...changing(s),
});
const INSERT = insertInto('skills', newSkill, 'ON CONFLICT DO NOTHING');
const UPDATE = updateById('skills', changing);
const INSERT_ARCHIVE = insertInto('skill_archives', (row: SkillArchiveRow) => row);
const LIST = `SELECT * FROM skills WHERE namespace = ? AND LOWER(name) LIKE LOWER(?) ESCAPE '!' ORDER BY n LIMIT ? OFFSET ?`;

type Reads = Pick<Reader, 'skill' | 'skills' | 'skillArchive'>;
type Writes = Pick<Tx, 'insertSkill' | 'updateSkill' | 'deleteSkill'>;

export const skillReads = (sql: Sql): Reads => ({
  async skill(id) {
    const [row] = await sql.all<SkillRow>(`SELECT * FROM skills WHERE id = ?`, [id]);
    return row && toSkill(row);
  },
  async skills({ namespace, name, isExact, skip, limit }) {
    const literal = (name ?? '').replace(/[!%_]/g, '!$&');
    const rows = await sql.all<SkillRow>(LIST, [namespace, isExact ? literal : `%${literal}%`, limit, skip]);
    return rows.map(toSkill).filter((skill) => !isExact || skill.name === name);
  },
  async skillArchive(id) {
    const [row] = await sql.all<{ zip: string }>(`SELECT zip FROM skill_archives WHERE skill_id = ?`, [id]);
    return row?.zip;
  },
});

export const skillWrites = (sql: Sql): Writes => ({
  async insertSkill(s, archive) {
    if ((await sql.run(...INSERT(s))) === 0) return false;
    await sql.run(...INSERT_ARCHIVE({ skill_id: s.id, zip: archive }));
    return true;
  },
  async updateSkill(s, archive) {
    await sql.run(...UPDATE(s));
    await sql.run(`UPDATE skill_archives SET zip = ? WHERE skill_id = ?`, [archive, s.id]);
  },
  async deleteSkill(id) {
    await sql.run(`DELETE FROM skill_archives WHERE skill_id = ?`, [id]);
    await sql.run(`DELETE FROM skills WHERE id = ?`, [id]);
  },
});

const toSkill = (row: SkillRow): Skill => ({
  id: row.id,
  name: row.name,
  namespace: row.namespace,
  description: row.description,
  version: row.version ?? undefined,
  sha256: row.sha256,
  size: row.size,
  author: row.author,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
