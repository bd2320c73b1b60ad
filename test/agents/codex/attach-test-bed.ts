// Attaches the real adapter to a stand-in for the Codex daemon, or to a player of a transcript that was recorded from the
// real one: what Holdpoint sends must be what it sent then, to the letter.
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import type { FollowContext } from '../../../src/agents/agent.ts';
import { followDaemon } from '../../../src/agents/codex/attach.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';
import { type Line, TranscriptPlayer } from '../transcript-player.ts';

export const transcripts = join(import.meta.dirname, '..', '..', 'transcripts', 'codex-attached');

/** A test bed for all tests of a file, with the token of a worker. */
export function attachedForAll() {
  const server = serverForAll();
  const opened = { server } as { server: typeof server; bed: TestBed; token: string };
  beforeAll(async () => {
    opened.bed = new TestBed(await server.url(), server.token);
    opened.token = (await opened.bed.api.tokens.create({ scope: 'worker' })).token;
  });
  return opened;
}

/** Follows a daemon as a worker of that machine does, until the returned function is called. */
export function attach(
  client: Client,
  daemon: { open: FollowContext['open']; hangUp(): void },
  machine = 'at=here',
): () => Promise<void> {
  const waits = new Waits(client.http);
  const over = new AbortController();
  const reports = { onAttached() {}, onUnreachable() {}, onNotAsked() {} };
  const context = { client, waits, signal: over.signal, machine, open: daemon.open, settingsFile: '' };
  const attached = followDaemon({ ...context, ...reports });
  return async () => {
    over.abort();
    daemon.hangUp();
    await attached.catch(() => {});
    waits.close();
  };
}

/** Plays the transcript, lets the person decide, and detaches when all was said and `arrived` has resolved. */
export async function playAttached(
  bed: TestBed,
  name: string,
  person: () => Promise<unknown>,
  change?: (lines: Line[]) => Line[],
  arrived?: () => Promise<unknown>,
): Promise<TranscriptPlayer> {
  const player = new TranscriptPlayer(join(transcripts, `${name}.jsonl`), change);
  const { token, token_id } = await bed.api.tokens.create({ scope: 'worker' });
  const client = createClient({ url: bed.url, token });
  const detach = attach(client, { open: player.open, hangUp: () => player.end() });
  await person();
  await player.played.promise;
  await arrived?.();
  await detach();
  // The next one to play has a token of its own, and takes the same conversation up.
  await bed.api.tokens.revoke(token_id);
  return player;
}
