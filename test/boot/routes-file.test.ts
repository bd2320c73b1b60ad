// The routes file: read at the start and when it changes; one that is not understood leaves what was read before.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchRoutes } from '../../src/boot/routes-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-routes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (text: string) => writeFileSync(join(folder, 'routes.yaml'), text);
const watch = (faults: string[] = []) => watchRoutes(folder, ['push', 'webhook'], (text) => faults.push(text));

describe('the routes file', () => {
  it('need not be there, nor have anything in it', () => {
    expect(watch().routes()).toEqual([]);
    write('# routes:\n#  - tell: [ { who: lead } ]\n');
    expect(watch().routes()).toEqual([]);
  });

  it('is read again after a change, and keeps what it said while it cannot be read', async () => {
    write(
      'routes:\n  - match: { agent: claude }\n    tell: [ { who: lead, by: [push] } ]\n    after: { 5m: [ { who: ops } ] }\n',
    );
    const faults: string[] = [];
    const file = watch(faults);
    expect(file.routes()).toHaveLength(1);
    write('routes: 5');
    await expect.poll(() => file.fault(), { timeout: 10_000 }).toContain('routes');
    expect([file.routes().length, faults.length]).toEqual([1, 1]);
    write('routes: []');
    await expect.poll(() => file.routes().length, { timeout: 10_000 }).toBe(0);
    expect(file.fault()).toBeUndefined();
  });

  it.each([
    ['[['.repeat(20_000), 'is not YAML'],
    ['routes: [', 'is not YAML'],
    ['routes:\n  - tell: [ { who: lead, by: [pigeon] } ]', 'no channel "pigeon". There are: push, webhook.'],
    ['routes:\n  - tell: []', 'routes.0.tell'],
    ['routes:\n  - tell: [ { who: lead } ]\n    after: { -5m: [ { who: ops } ] }', 'routes.0.after'],
    ['routes:\n  - &a { tell: [ { who: lead } ] }\n  - *a', 'is not YAML'],
  ])('starts without routes, and says why, with %.80j', (text, why) => {
    write(text);
    const faults: string[] = [];
    const file = watch(faults);
    expect(file.routes()).toEqual([]);
    expect(file.fault()).toContain(why);
    expect(faults).toEqual([file.fault()]);
  });
});
