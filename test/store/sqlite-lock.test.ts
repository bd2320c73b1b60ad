// One process per state folder: a second opener is refused while the first lives, however it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { tryLock } from '../../src/store/sqlite-lock.ts';
import { append, hash } from '../conformance/store-samples.ts';
import { insert, sqliteFolder } from './sqlite-folder.ts';

const bed = sqliteFolder();

describe('one process per folder', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await end(child);
  });

  it('finding 25: creates a lock that only its user reads, under any umask', () => {
    const path = join(bed.folder, 'connections.lock');
    const before = process.umask(0o022);
    try {
      tryLock(path)?.close();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it('refuses a second store of the same process until the first is closed', async () => {
    const first = await bed.open();
    await expect(openSqlite(bed.folder, hash)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/Another Holdpoint server is using .*HOLDPOINT_DATA/),
    });
    await append1(first);
    await first.close();
    expect(await (await bed.open()).read((r) => r.lastSeq())).toBe(1);
  });

  it('refuses a folder that another process holds, and opens it when that process was killed', async () => {
    const child = startOpener(bed.folder);
    children.push(child);
    expect(await firstLine(child)).toBe('open');
    await expect(openSqlite(bed.folder, hash)).rejects.toThrow(`Another Holdpoint server is using ${bed.folder}`);
    await end(child);
    const store = await bed.open();
    expect((await store.read((r) => r.get('session', 'left behind')))?.id).toBe('left behind');
  });

  it('releases the folder when the database cannot be opened', async () => {
    writeFileSync(
      join(bed.folder, 'holdpoint.db'),
      'this is not a database, but it is long enough to be taken for one'.repeat(99),
    );
    await expect(openSqlite(bed.folder, hash)).rejects.toThrow(/holdpoint\.db cannot be used/);
    rmSync(join(bed.folder, 'holdpoint.db'));
    await insert(await bed.open(), 's1');
  });

  const append1 = async (store: Store) => {
    await insert(store, 's1');
    await append(store, 's1', ['x']);
  };
});

function startOpener(where: string): ChildProcess {
  const from = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
  const program = `
    const { openSqlite } = await import(${from('src/store/sqlite.ts')});
    const { hash, sessionOf } = await import(${from('test/conformance/store-samples.ts')});
    const store = await openSqlite(process.argv[1], hash);
    await store.write((tx) => tx.insert('session', sessionOf('left behind')));
    console.log('open');
    setInterval(() => store, 1000); // A store that is collected as garbage has no lock.`;
  return spawn(process.execPath, ['--input-type=module', '-e', program, where], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
