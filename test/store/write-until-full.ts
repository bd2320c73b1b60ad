// A program for sqlite-failures.test.ts: writes to the store in the given folder, several units at once, until the disk
// refuses, then a little more. Prints one line of JSON: what was acknowledged, what was refused and how.
import { HoldpointError } from '../../src/core/errors.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { hash, sessionOf } from '../conformance/store-samples.ts';

const AT_ONCE = 8;
const [, , folder = ''] = process.argv;
const store = await openSqlite(folder, hash);
const kept: string[] = [];
const refused: Record<string, string> = {};

const write = async (id: string, lastMessage: string): Promise<void> => {
  try {
    await store.write(async (tx) => {
      const session = sessionOf(id, { lastMessage });
      await tx.insert('session', session);
      await tx.appendEvents(session, [{ type: 'session.created', data: {} }], 1);
      await tx.update('session', session);
    });
    kept.push(id);
  } catch (error) {
    refused[id] = error instanceof HoldpointError ? error.code : String(error);
  }
};

let batch = 0;
for (; Object.keys(refused).length === 0 && batch < 10_000; batch++)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => write(`s${batch}-${n}`, 'x'.repeat(20_000))));
for (const end = batch + 3; batch < end; batch++)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => write(`s${batch}-${n}`, 'x'.repeat(20_000))));

console.log(JSON.stringify({ kept, refused }));
process.exit(0);
