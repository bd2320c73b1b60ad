// The label of a state folder from which agents are attached: made once, the same for every process.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { knownMachineLabel, machineLabel } from '../../src/worker/machine-label.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'holdpoint-label-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

it('makes a label once and returns the same one afterwards', () => {
  expect(knownMachineLabel(data)).toBeUndefined();
  const label = machineLabel(data);
  expect(label).toMatch(/^at=[0-9a-f]{16}$/);
  expect([machineLabel(data), knownMachineLabel(data)]).toEqual([label, label]);
  expect(readdirSync(data)).toHaveLength(1);
});

it('refuses an altered label and names its file', () => {
  machineLabel(data);
  writeFileSync(join(data, String(readdirSync(data)[0])), 'something else');
  expect(knownMachineLabel(data)).toBeUndefined();
  expect(() => machineLabel(data)).toThrow(/was altered: remove it/);
});
