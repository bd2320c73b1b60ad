// Plays the plan of a test (`plan.json` in the work folder) for the stand-ins of agents: which calls the model makes,
// message by message, and what it received. A process that is started again continues with the message after the one at
// which the last process stopped. `settle-<call id>` in the folder makes the agent settle that call by itself.
import { execSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POSITION = 'position';
const SETTLED = 'It was settled at the prompt of the agent itself.';

export const wasStarted = () => existsSync(POSITION);

export const received = (text) => appendFileSync('received.txt', `${text}\n`);

/** Runs a command of a call that was allowed, and gives what the model receives. */
export function ran(command) {
  execSync(command);
  return 'It ran.';
}

/**
 * `ask(call)` resolves to what the model receives; `settle(call)` tells the host that it was settled here.
 * `repeatsLast`: a process that is started again begins with the message at which the last one stopped.
 */
export async function playPlan(ask, settle, { repeatsLast = false } = {}) {
  const plan = JSON.parse(readFileSync('plan.json', 'utf8'));
  const last = wasStarted() ? Number(readFileSync(POSITION, 'utf8')) : -1;
  const first = repeatsLast ? Math.max(0, last) : last + 1;
  for (const [at, calls] of plan.entries()) {
    if (at < first) continue;
    writeFileSync(POSITION, String(at));
    const results = await Promise.all(calls.map((call) => Promise.race([ask(call), settledItself(call, settle)])));
    for (const result of results) received(result);
  }
}

async function settledItself(call, settle) {
  while (!existsSync(`settle-${call.id}`)) await sleep(20);
  settle(call);
  return SETTLED;
}
