// A worker with nothing but the exec agent, as a program: `node worker-alone.ts <url> <token> <lease ms>`. Ends with its
// input.
import { exec } from '../../../src/agents/exec/agent.ts';
import { startWorker } from '../../../src/worker/worker.ts';

const [url = '', token = '', leaseMs = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: () => {} };
const worker = startWorker({ url, token, workerId: 'alone', leaseMs: Number(leaseMs), agents: [exec], log });
process.stdin.on('end', () => void worker.stop().then(() => process.exit(0))).resume();
