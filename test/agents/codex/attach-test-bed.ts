// Attaches the real adapter to a daemon that is a player of a transcript, recorded from the real one. Whatever Holdpoint
// says to it must be what it said then, to the letter.
import { join } from 'node:path';
import { followDaemon } from '../../../src/agents/codex/attach.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { TestBed } from '../../support/test-bed.ts';
import { type Line, TranscriptPlayer } from '../transcript-player.ts';

export const transcripts = join(import.meta.dirname, '..', '..', 'transcripts', 'codex-attached');
const PLACE = 'at=here';

/** Lets the person do what they did, or as `change` makes it, and lets go when all was said, and `arrived` where given. */
export async function playAttached(
  stage: TestBed,
  name: string,
  person: () => Promise<unknown>,
  change?: (lines: Line[]) => Line[],
  arrived?: () => Promise<unknown>,
): Promise<TranscriptPlayer> {
  const player = new TranscriptPlayer(join(transcripts, `${name}.jsonl`), change);
  const { token } = await stage.api.tokens.create({ scope: 'worker' });
  const client = createClient({ url: stage.url, token });
  const waits = new Waits(client.http);
  const over = new AbortController();
  const attached = followDaemon({
    onNotAsked() {},
    client,
    waits,
    signal: over.signal,
    machine: PLACE,
    open: player.open,
  });
  await person();
  await player.played.promise;
  await arrived?.();
  over.abort();
  player.end();
  await attached.catch(() => {});
  waits.close();
  return player;
}
