// Loaded into the server of the resource fuzz run (`--import`): reports how long its event loop was blocked at most, and
// the processor time it has used, four times a second over the channel to its parent.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();
setInterval(() => {
  const { user, system } = process.cpuUsage();
  process.send?.({ blockedMs: delays.max / 1e6, cpuMs: (user + system) / 1000 });
  delays.reset();
}, 250).unref();
process.channel?.unref();
