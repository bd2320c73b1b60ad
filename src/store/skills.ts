// Reads skills. Their zip files are in a table of their own, so that lists never read them.
import type { Reader } from '../core/ports.ts';
import { rowReads } from './row-reads.ts';
import type { Sql } from './sql.ts';
import { SKILL } from './tables.ts';

const LIST = `SELECT * FROM skills WHERE namespace = ? AND LOWER(name) LIKE LOWER(?) ESCAPE '!' ORDER BY n LIMIT ? OFFSET ?`;

type Reads = Pick<Reader, 'skills' | 'skillsOf'>;

export function skillReads(sql: Sql): Reads {
  const { many } = rowReads(sql);
  return {
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
  };
}
