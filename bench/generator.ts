// The load generator's process and how the bench gives it orders. One process serves all contenders, so that none of
// them meets a colder client than the others.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { generate, type LoadOrder, type LoadResult } from './load.ts';

export class Generator {
  readonly #child: ChildProcess = fork(import.meta.filename, { env: { NODE_NO_WARNINGS: '1' } });

  async load(order: LoadOrder): Promise<LoadResult> {
    this.#child.send(order);
    const [answer] = (await once(this.#child, 'message')) as [LoadResult | { failed: string }];
    if ('failed' in answer) throw new Error(answer.failed);
    return answer;
  }

  stop(): void {
    this.#child.kill();
  }
}

if (import.meta.main) {
  process.on('message', async (order: LoadOrder) => {
    const answer = await generate(order).catch((error: Error) => ({ failed: error.message }));
    process.send?.(answer);
  });
}
