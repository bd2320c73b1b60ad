// docs/agents.md compared with the registry and the tests: a row for every agent, and a test for every claim.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { registry } from '../../src/agents/registry.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'agents.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| \[?`/.test(line));
const agentOf = (row: string): string => /`([\w-]+)`/.exec(row)?.[1] ?? '';

it('has a row in docs/agents.md for every agent of the registry', () => {
  expect(rows.map(agentOf).sort()).toEqual(Object.keys(registry).sort());
});

const COLUMNS = 8;

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
