// Stands in for an agent's binary while transcripts are recorded: runs the real one, passes everything on, and writes
// both directions, line by line, to test/transcripts/<name>.jsonl. Paths of the machine become {{folder}} and {{home}}.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [binary, ...args] = process.argv.slice(2);
const folder = join(import.meta.dirname, '..', 'transcripts', 'codex');
const file = join(folder, `${process.env.TRANSCRIPT ?? 'run'}.jsonl`);
mkdirSync(folder, { recursive: true });
rmSync(file, { force: true });

const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const write = (from, line) =>
  appendFileSync(
    file,
    `{"from":"${from}","message":${line.replaceAll(process.cwd(), '{{folder}}').replaceAll(process.env.HOME ?? '\0', '{{home}}')}}\n`,
  );

createInterface({ input: process.stdin })
  .on('line', (line) => {
    write('holdpoint', line);
    child.stdin.write(`${line}\n`);
  })
  .on('close', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => {
  write('agent', line);
  process.stdout.write(`${line}\n`);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
