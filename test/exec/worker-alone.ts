// A worker with nothing but the exec agent and a short lease, as a program: `node worker-alone.ts <url> <token>`. Ends
// with its input.
import { exec } from '../../src/agents/exec.ts';
import { startWorker } from '../../src/worker/worker.ts';

const [url = '', token = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: () => {} };
const worker = startWorker({ url, token, workerId: 'alone', leaseMs: 1000, agents: [exec], log });
process.stdin.on('end', () => void worker.stop().then(() => process.exit(0))).resume();
