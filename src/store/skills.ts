// Stores skills, and their zip files in a table of their own, so that lists never read them.
import type { Reader, Tx } from '../core/ports.ts';
import { insertInto, updateById } from './row-mapping.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { SKILL } from './tables.ts';

const INSERT = insertInto(SKILL, 'ON CONFLICT DO NOTHING');
const UPDATE = updateById(SKILL, ['description', 'version', 'sha256', 'size', 'updated_at']);
const LIST = `SELECT * FROM skills WHERE namespace = ? AND LOWER(name) LIKE LOWER(?) ESCAPE '!' ORDER BY n LIMIT ? OFFSET ?`;

type Reads = Pick<Reader, 'skill' | 'skills' | 'skillArchive' | 'skillsOf'>;
type Writes = Pick<Tx, 'insertSkill' | 'updateSkill' | 'deleteSkill'>;

export function skillReads(sql: Sql): Reads {
  const { one, many } = rowReads(sql);
  return {
    skill: (id) => one(`SELECT * FROM skills WHERE id = ?`, [id], SKILL.read),
    async skills({ namespace, name, isExact, skip, limit }) {
      const literal = (name ?? '').replace(/[!%_]/g, '!$&');
      const found = await many(LIST, [namespace, isExact ? literal : `%${literal}%`, limit, skip], SKILL.read);
      return found.filter((skill) => !isExact || skill.name === name);
    },
    async skillsOf(author) {
      const text = `SELECT COUNT(*) AS count, SUM(size) AS bytes FROM skills WHERE author = ?`;
      const [row] = await sql.all<{ count: number; bytes: number | null }>(text, [author]);
      return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
    },
    skillArchive: (id) =>
      one(`SELECT zip FROM skill_archives WHERE skill_id = ?`, [id], (row: { zip: string }) => row.zip),
  };
}

export const skillWrites = (sql: Sql): Writes => ({
  async insertSkill(s, archive) {
    if ((await sql.run(...INSERT(s))) === 0) return false;
    await sql.run(`INSERT INTO skill_archives (skill_id, zip) VALUES (?, ?)`, [s.id, archive]);
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
