// What the run was measured on: enough to judge the figures, nothing that names a machine, a person or a place.
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  /** One-minute load average before the run: what else the machine was doing. */
  loadBefore: number;
}

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release().split('-')[0]}`,
  node: process.version,
  loadBefore: loadavg()[0] ?? 0,
});
