// A worker as a program, with a short lease and the scripted agent under a name of its own that cannot be resumed:
// `node fragile-worker.ts <url> <token>`. Ends with its input.
import { mock } from '../../src/agents/mock.ts';
import { startWorker } from '../../src/worker/worker.ts';

const [url = '', token = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: () => {} };
const agents = [{ ...mock, name: 'fragile', recovery: 'none' as const }];
const worker = startWorker({ url, token, workerId: `fragile-${process.pid}`, leaseMs: 1000, agents, log });
process.stdin.on('end', () => void worker.stop().then(() => process.exit(0))).resume();
