// Backups of SQLite: taken while agents and people are at work, restored elsewhere, killed at every step, and refused where they
// are not what they should be.
// Covers: src/store/sqlite-restore.ts, src/boot/restore.ts, src/cli/backup-commands.ts, src/cli/database-command.ts, src/node/sync.ts
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackup } from '../../src/store/sqlite-restore.ts';
import { audit } from '../faults/auditor.ts';
import { type Account, accountOf } from '../faults/knowledge.ts';
import { startLoad } from '../faults/load.ts';
import { Phoenix } from '../faults/phoenix.ts';
import { type Sent, send } from '../support/http.ts';
import { endEverything, root, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';

const PATIENT = { timeout: 240_000 };
const NOBODY = 65_534;
const main = join(root, 'src', 'cli', 'main.ts');
const script = join(import.meta.dirname, 'restore-script.ts');
const canTrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;

let source: Phoenix;
let backup: string;
let written: { events: number; through_seq: number };
let afterwards: Account;
let faults: string[];

beforeAll(async () => {
  source = await Phoenix.rise();
  const load = await startLoad(source, seeded('backup'), 6, 3);
  const applied = async (count: number) => {
    while (load.knowledge.applied.length < count && load.knowledge.faults.length === 0) await sleep(20);
  };
  await applied(15);
  backup = join(temporaryFolder(), 'backup.db');
  const { code, stdout, stderr } = await holdpoint(source.data, 'db', 'backup', backup, '--json');
  expect(code, stderr).toBe(0);
  written = JSON.parse(stdout);
  await applied(load.knowledge.applied.length + 15);
  afterwards = await load.rest();
  faults = audit(load.knowledge, afterwards);
  await source.kill();
}, PATIENT.timeout);
afterAll(endEverything);

async function holdpoint(data: string, ...command: string[]) {
  const started = spawnHoldpoint({ via: 'main', data, command });
  const { code } = await started.exited;
  return { code, stdout: started.stdout(), stderr: started.stderr() };
}

/** A state folder with the key of the server that was backed up, and nothing else. */
function otherMachine(): string {
  const data = temporaryFolder();
  copyFileSync(join(source.data, 'secret.key'), join(data, 'secret.key'));
  return data;
}

/** The state folder of the server that was killed: its last changes are in the write-ahead log. */
function killedServer(): string {
  const data = otherMachine();
  for (const name of readdirSync(source.data).filter((file) => file.startsWith('holdpoint.db')))
    copyFileSync(join(source.data, name), join(data, name));
  return data;
}

/** The backup, with one thing changed. */
function altered(...statements: string[]): string {
  const file = join(temporaryFolder(), 'altered.db');
  copyFileSync(backup, file);
  const db = new DatabaseSync(file);
  for (const statement of statements) db.exec(statement);
  db.close();
  return file;
}

const NEWER = `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-of-tomorrow', '2030-01-01T00:00:00Z')`;

/** Runs a program that is killed at its n-th system call of that kind; false: it came to its end before. */
function isKilledAt(calls: string, n: number, args: string[]): boolean {
  const trace = ['-f', '-qq', '-o', '/dev/null', '-e', `inject=${calls}:signal=KILL:when=${n}`];
  const { status, signal, stderr } = spawnSync('strace', [...trace, process.execPath, ...args], { encoding: 'utf8' });
  if (status !== 0 && status !== 137 && signal !== 'SIGKILL') throw new Error(`it failed by itself: ${stderr}`);
  return status !== 0;
}

describe('a backup taken while agents ask and people answer', PATIENT, () => {
  it('costs nobody an answer', () => {
    expect(faults).toEqual([]);
    expect(written.events).toBeGreaterThan(50);
    expect(afterwards.events.length).toBeGreaterThan(written.events);
  });

  it('is readable by its owner only, and has no key and no token in it', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(backup);
    for (const name of ['secret.key', 'operator.token', 'worker.token'])
      expect(bytes.includes(readFileSync(join(source.data, name), 'utf8').trim()), name).toBe(false);
  });

  it('restores in another folder to a log that verifies, and a server that continues from there', async () => {
    const data = otherMachine();
    const restored = await holdpoint(data, 'db', 'restore', backup, '--json');
    expect(restored.code, restored.stderr).toBe(0);
    expect(JSON.parse(restored.stdout)).toMatchObject({ ok: true, events: written.events, rows: expect.any(Number) });
    expect(readdirSync(data).sort()).toEqual(['holdpoint.db', 'holdpoint.lock', 'secret.key']);

    const server = await startHoldpoint({ via: 'main', data, args: ['--no-worker'] });
    const meanwhile = await holdpoint(data, 'db', 'restore', backup, '--replace');
    expect(meanwhile).toMatchObject({ code: 4, stderr: expect.stringContaining('Another Holdpoint server is using') });
    const verified = await holdpoint(data, 'audit', 'verify', '--url', server.url);
    expect(verified.code, verified.stdout).toBe(0);
    // With the operator's token of the server that was backed up.
    const call = <T>(sent: Sent) => send<T>(server.url, { token: source.token, ...sent });
    const { events } = await accountOf(call);
    const known = afterwards.events.filter(({ seq }) => seq <= written.through_seq);
    expect(events.slice(0, known.length).map(({ hash }) => hash)).toEqual(known.map(({ hash }) => hash));
    const made = await call({ path: '/v1/sessions', body: { agent: 'external' } });
    expect(made.status).toBe(201);
    await server.end('SIGTERM');
  });

  it.runIf(process.getuid?.() === 0)(
    'is restored by root as the account that owns the folder, whose links lead nowhere else',
    async () => {
      const data = otherMachine();
      for (const path of [data, join(data, 'secret.key')]) chownSync(path, NOBODY, NOBODY);
      const elsewhere = join(temporaryFolder(), 'of-root');
      symlinkSync(elsewhere, join(data, 'holdpoint.lock'));
      expect((await holdpoint(data, 'db', 'restore', backup)).code).not.toBe(0);
      expect(existsSync(elsewhere)).toBe(false);
      rmSync(join(data, 'holdpoint.lock'));
      const restored = await holdpoint(data, 'db', 'restore', backup);
      expect(restored.code, restored.stderr).toBe(0);
      for (const name of readdirSync(data)) expect(statSync(join(data, name)).uid, name).toBe(NOBODY);
    },
  );

  it('is not written over a file, nor where there is no database', async () => {
    const before = readFileSync(backup);
    const again = await holdpoint(source.data, 'db', 'backup', backup);
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('already exists') });
    expect(readFileSync(backup).equals(before)).toBe(true);
    const folder = temporaryFolder();
    const none = await holdpoint(folder, 'db', 'backup', join(folder, 'backup.db'));
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('no database') });
    expect(readdirSync(folder)).toEqual([]);
    const nowhere = await holdpoint(source.data, 'db', 'backup', '/proc/backup.db');
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^holdpoint: ENOENT: .*\/proc\/backup\.db/),
    });
  });

  it.skipIf(!canTrace)('has no name before it is complete (needs strace)', () => {
    const file = join(temporaryFolder(), 'killed.db');
    const command = [main, 'db', 'backup', file, '--data', source.data];
    for (const [calls, n] of [
      ['pwrite64', 3],
      ['/^rename', 1],
    ] as const) {
      expect(isKilledAt(calls, n, command), calls).toBe(true);
      expect(existsSync(file), calls).toBe(false);
    }
    expect(isKilledAt('/^rename', 1000, command)).toBe(false);
    openBackup(file).db.close();
  });
});

describe('a restore', PATIENT, () => {
  const eventsIn = (data: string): number => {
    const db = new DatabaseSync(join(data, 'holdpoint.db'));
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const row = db.prepare('SELECT COUNT(*) AS n FROM events').get();
    db.close();
    return Number(row?.n);
  };

  it.skipIf(!canTrace)('leaves the old database or the new one, wherever it is killed (needs strace)', () => {
    const changes = '/^(rename|link|unlink|rmdir|fsync|fdatasync|ftruncate)';
    const found: number[] = [];
    for (let n = 1, wasKilled = true; wasKilled; n++) {
      const data = killedServer();
      wasKilled = isKilledAt(changes, n, [script, data, backup]);
      found.push(eventsIn(data));
      rmSync(data, { recursive: true });
    }
    const [before, after] = [afterwards.events.length, written.events];
    const turn = found.indexOf(after);
    expect(turn).toBeGreaterThan(3);
    expect(found).toEqual(found.map((_, i) => (i < turn ? before : after)));
  });

  it('goes back to what was before an upgrade, and keeps what it replaces', async () => {
    const data = killedServer();
    const later = new DatabaseSync(join(data, 'holdpoint.db'));
    later.exec(NEWER);
    later.close();
    const refused = spawnHoldpoint({ via: 'main', data });
    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr()).toContain('A newer release of Holdpoint has migrated it (9999-of-tomorrow)');
    const unasked = await holdpoint(data, 'db', 'restore', backup);
    expect(unasked).toMatchObject({ code: 4, stderr: expect.stringContaining('already has a database') });
    const restored = await holdpoint(data, 'db', 'restore', backup, '--replace', '--json');
    expect(restored.code, restored.stderr).toBe(0);
    const { replaced } = JSON.parse(restored.stdout);
    expect(() => openBackup(replaced)).toThrow('newer release');
    await (await startHoldpoint({ via: 'main', data, args: ['--no-worker'] })).end('SIGTERM');
  });

  it.each<[string, () => string, number, string]>([
    ['that is a text', textFile, 2, 'is not a backup'],
    ['that is cut off', cutOff, 2, 'is damaged'],
    ['of another program', () => altered('DROP TABLE events'), 2, 'not one of Holdpoint'],
    [
      'with a trigger',
      () => altered('CREATE TRIGGER t AFTER INSERT ON asks BEGIN SELECT 1; END'),
      2,
      'it has a trigger t',
    ],
    ['of a newer release', () => altered(NEWER), 4, 'A newer release of Holdpoint has migrated it'],
    ['whose log was altered', () => altered(`UPDATE events SET at = at + 1 WHERE seq = 20`), 10, 'was altered'],
    ['whose rows were altered', () => altered(`UPDATE sessions SET title = 'another' WHERE n = 2`), 10, 'was altered'],
    ['with changes beside it', besideIt, 2, 'has changes that are not in it'],
    ['that is a link to a database in use', linkToDatabase, 2, 'has changes that are not in it'],
  ])('refuses a file %s, and changes nothing', async (_, make, code, message) => {
    const data = otherMachine();
    const refused = await holdpoint(data, 'db', 'restore', make());
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(message) });
    // Some are refused before the folder is locked.
    expect(readdirSync(data).filter((name) => name !== 'holdpoint.lock')).toEqual(['secret.key']);
  });

  it('says of a copy of the file of a server that the newest changes are missing', async () => {
    const copy = join(temporaryFolder(), 'copy.db');
    copyFileSync(join(source.data, 'holdpoint.db'), copy);
    const { stderr } = await holdpoint(otherMachine(), 'db', 'restore', copy, '--check');
    expect(stderr).toContain('changes that were in its write-ahead log are missing');
    const checked = await holdpoint(otherMachine(), 'db', 'restore', backup, '--check');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });

  it('wants the secret key of the server that made the backup', async () => {
    const data = temporaryFolder();
    const without = await holdpoint(data, 'db', 'restore', backup);
    expect(without).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`secret.key of the server that made it`),
    });
    writeFileSync(join(data, 'secret.key'), Buffer.from('another secret key, 32 bytes long').toString('base64url'), {
      mode: 0o600,
    });
    const other = await holdpoint(data, 'db', 'restore', backup);
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining('belongs to another secret key') });
    expect(readdirSync(data).sort()).toEqual(['holdpoint.lock', 'secret.key']);
    const checked = await holdpoint(temporaryFolder(), 'db', 'restore', backup, '--check');
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('the secret key is not here') });
  });

  function textFile(): string {
    const file = join(temporaryFolder(), 'text');
    writeFileSync(file, 'not a database');
    return file;
  }
  function cutOff(): string {
    const file = altered();
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    return file;
  }
  function besideIt(): string {
    const file = altered();
    appendFileSync(`${file}-wal`, 'changes');
    return file;
  }
  function linkToDatabase(): string {
    const link = join(temporaryFolder(), 'latest.db');
    symlinkSync(join(killedServer(), 'holdpoint.db'), link);
    return link;
  }
});
