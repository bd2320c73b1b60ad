// Stands in for Claude Code where a test needs it to do what the real one does rarely: it plays the steps of `script.json`
// in its work folder (`resumed.json` when it is taken up again), and keeps what it hears in `heard.jsonl`, how it was
// started in `started.jsonl`.
//   {"say": message}   {"hear": text of a line}   {"find": a file that a test makes}   {"waitMs": n}   {"exit": code}
//   {"leaves": file for its pid}: starts a program that no SIGTERM ends
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
const file = process.argv.includes('--resume') ? 'resumed.json' : 'script.json';
const steps = JSON.parse(readFileSync(file, 'utf8').replaceAll('{{pid}}', `${process.pid}`));
appendFileSync('started.jsonl', `${JSON.stringify(process.argv.slice(2))}\n`);
let heard = '';

createInterface({ input: process.stdin })
  .on('line', (line) => {
    heard += `${line}\n`;
    appendFileSync('heard.jsonl', `${line}\n`);
  })
  .on('close', () => process.exit(0));

for (const { say, hear, find, waitMs, leaves, exit } of steps) {
  if (say) process.stdout.write(`${JSON.stringify(say)}\n`);
  while (hear && !heard.includes(hear)) await sleep(LOOK_EVERY_MS);
  while (find && !existsSync(find)) await sleep(LOOK_EVERY_MS);
  if (waitMs) await sleep(waitMs);
  if (leaves) {
    spawn('sh', ['-c', 'trap "" TERM; sleep 60'], { stdio: 'ignore' });
    writeFileSync(leaves, `${process.pid}`);
  }
  if (exit) process.exit(exit);
}
