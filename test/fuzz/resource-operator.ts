// The ordinary operator of the resource fuzz run, in a thread of its own so that the attackers' work in the same process
// does not count: looks at the inbox, twenty times a second at most, and posts how long each look took.
import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, token, until } = workerData as { url: string; token: string; until: number };
const LOOK_MS = 50;
const PATIENCE_MS = 10_000;

while (Date.now() < until) {
  const began = performance.now();
  const isGood = await look();
  parentPort?.postMessage(isGood ? performance.now() - began : PATIENCE_MS);
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function look(): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = http.get(`${url}/v1/asks?status=pending`, { headers, timeout: PATIENCE_MS }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
