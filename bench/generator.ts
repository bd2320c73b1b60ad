// The load generator's process, and how the bench gives it orders. One process serves all contenders, so that none of
// them meets a colder client than the others.
import { type ChildProcess, fork } from 'node:child_process';
import { generate, type LoadOrder, type LoadResult } from './load.ts';
import { ParkingLot, type ParkOrder } from './park.ts';

type Order = { load: LoadOrder } | { prepare: ParkOrder } | { park: ParkOrder } | { release: true };
type Report = { measuring: true } | { loaded: LoadResult } | { done: true } | { failed: string };

const PATIENCE_MS = 120_000;

export class Generator {
  readonly #child: ChildProcess = fork(import.meta.filename, { env: { NODE_NO_WARNINGS: '1' } });

  async load(order: LoadOrder, onMeasuring: () => void): Promise<LoadResult> {
    const report = await this.#order({ load: order }, onMeasuring);
    if ('loaded' in report) return report.loaded;
    throw new Error('the generator did something else');
  }

  async preparePark(order: ParkOrder): Promise<void> {
    await this.#order({ prepare: order });
  }

  async park(order: ParkOrder): Promise<void> {
    await this.#order({ park: order });
  }

  async release(): Promise<void> {
    await this.#order({ release: true });
  }

  stop(): void {
    this.#child.kill();
  }

  #order(order: Order, onMeasuring: () => void = () => {}): Promise<Report> {
    return new Promise((resolve, reject) => {
      const give = (outcome: () => void): void => {
        clearTimeout(timer);
        this.#child.off('message', take);
        outcome();
      };
      const take = (report: Report): void => {
        if ('measuring' in report) onMeasuring();
        else if ('failed' in report) give(() => reject(new Error(report.failed)));
        else give(() => resolve(report));
      };
      const timer = setTimeout(() => give(() => reject(new Error('the generator got stuck'))), PATIENCE_MS);
      this.#child.on('message', take);
      this.#child.send(order);
    });
  }
}

if (import.meta.main) {
  const lot = new ParkingLot();
  const carryOut = async (order: Order): Promise<Report> => {
    if ('load' in order) return { loaded: await generate(order.load, () => process.send?.({ measuring: true })) };
    if ('prepare' in order) await lot.prepare(order.prepare);
    else if ('park' in order) await lot.park(order.park);
    else lot.release();
    return { done: true };
  };
  process.on('message', async (order: Order) => {
    process.send?.(await carryOut(order).catch((error: Error) => ({ failed: error.message })));
  });
}
