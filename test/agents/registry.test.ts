// docs/agents.md compared with the registry and the tests: a row for every agent, and a test for every claim.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadAgent, registry } from '../../src/agents/registry.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'agents.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| \[?`/.test(line));
const agentOf = (row: string): string => /`([\w-]+)`/.exec(row)?.[1] ?? '';

it('has a row in docs/agents.md for every agent of the registry', () => {
  expect(rows.map(agentOf).sort()).toEqual(Object.keys(registry).sort());
});

const COLUMNS = 9;

it('says of the same agents as their descriptors that they reply to comments', async () => {
  const column =
    page
      .split('\n')
      .find((line) => line.startsWith('| agent |'))
      ?.split('|')
      .map((cell) => cell.trim())
      .indexOf('comments') ?? 0;
  for (const row of rows) {
    const { reads_comments = [] } = (await loadAgent(agentOf(row))) ?? {};
    const cell = row.split('|')[column] ?? '';
    const said = [/managed/.test(cell) && 'managed', /attached/.test(cell) && 'attached'].filter(Boolean);
    expect(said, agentOf(row)).toEqual(reads_comments);
  }
});

it('has a test that exists in every cell of docs/agents.md that claims something', () => {
  for (const row of rows) {
    const cells = row
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
    expect(cells, agentOf(row)).toHaveLength(COLUMNS);
    for (const cell of cells.filter((one) => one !== '–')) {
      const named = [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name]) => `${name}.test.ts`);
      expect(named.length, `${agentOf(row)}: ${cell}`).toBeGreaterThan(0);
      expect(named.filter((name) => !existsSync(join(import.meta.dirname, name)))).toEqual([]);
    }
  }
});
