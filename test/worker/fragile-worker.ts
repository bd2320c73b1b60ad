// A worker as a program, with the scripted agent under a name of its own that cannot be resumed:
// `node fragile-worker.ts <url> <token> <lease ms>`. Ends with its input.
import { mock } from '../../src/agents/mock/agent.ts';
import { startWorker } from '../../src/worker/worker.ts';

const [url = '', token = '', leaseMs = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: () => {} };
const agents = [{ ...mock, name: 'fragile', recovery: 'none' as const }];
const workerId = `fragile-${process.pid}`;
const worker = startWorker({ url, token, workerId, leaseMs: Number(leaseMs), agents, log });
process.stdin.on('end', () => void worker.stop().then(() => process.exit(0))).resume();
