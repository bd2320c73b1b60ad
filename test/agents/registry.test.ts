// docs/agents.md compared with the registry and the tests: a row for every agent, and no test that does not exist.
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

it('names in docs/agents.md only tests that exist', () => {
  const named = rows.flatMap((row) =>
    [
      ...row
        .split('|')
        .slice(2)
        .join('|')
        .matchAll(/`([\w/-]+)`/g),
    ].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !existsSync(join(import.meta.dirname, `${name}.test.ts`)))).toEqual([]);
});
