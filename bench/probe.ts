// Preloaded into every measured server (`--import`), the same for all: answers over the IPC channel what the process
// has cost so far. `memory` collects garbage first.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Cost {
  cpuMs: number;
  rssBytes: number;
  heapBytes: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how: object) => void;

process.on('message', async (question) => {
  if (question === 'memory') await settle();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const cost: Cost = { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed + external };
  process.send?.(cost);
});
process.channel?.unref();

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
