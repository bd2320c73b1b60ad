// Start-up: from the spawned process to its ready line, the subjects in turn.
import type { ContenderName } from './contender.ts';
import { inTurn, median, ratioOf } from './rounds.ts';
import { startServer } from './servers.ts';

export interface StartUpSubject {
  label: string;
  contender: ContenderName;
  folder: string;
}

export interface StartUp {
  label: string;
  ms: number;
  /** To the first subject of the same rounds. */
  ratio: number;
}

export async function measureStartUp(subjects: readonly StartUpSubject[], rounds: number): Promise<StartUp[]> {
  const samples = subjects.map((): number[] => []);
  // The first start of each warms the file cache and is not counted.
  for (let round = -1; round < rounds; round++)
    for (const subject of inTurn(subjects, round)) {
      const server = await startServer(subject.contender, subject.folder);
      await server.stop();
      if (round >= 0) samples[subjects.indexOf(subject)]?.push(server.startUpMs);
    }
  return subjects.map(({ label }, i) => ({
    label,
    ms: median(samples[i] ?? []),
    ratio: ratioOf(samples[i] ?? [], samples[0] ?? []),
  }));
}
