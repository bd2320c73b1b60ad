// Stands in for an agent's binary while transcripts are recorded: runs the real one, passes everything on, and writes
// both directions, line by line, to test/transcripts/<agent>/<name>.jsonl (<name>.resumed.jsonl for a conversation that is
// taken up again). Paths of the machine become {{folder}} and {{home}}.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const [binary, ...args] = process.argv.slice(2);
const folder = join(import.meta.dirname, '..', '..', 'transcripts', basename(binary));
const file = join(folder, `${process.env.TRANSCRIPT ?? 'run'}${args.includes('--resume') ? '.resumed' : ''}.jsonl`);
mkdirSync(folder, { recursive: true });
rmSync(file, { force: true });

const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const write = (from, line) =>
  appendFileSync(
    file,
    `{"from":"${from}","message":${line.replaceAll(process.cwd(), '{{folder}}').replaceAll(process.env.HOME ?? '\0', '{{home}}')}}\n`,
  );

/** Long lists that an agent tells of itself at the beginning, and what it counts: nobody reads them. */
function lean(line) {
  const message = JSON.parse(line);
  if (message.type === 'control_response') message.response.response = {};
  if (message.type === 'system' && message.subtype === 'init') {
    const { type, subtype, cwd, session_id, permissionMode, claude_code_version } = message;
    return JSON.stringify({ type, subtype, cwd, session_id, permissionMode, claude_code_version });
  }
  for (const counted of ['usage', 'modelUsage', 'tool_use_result']) delete message[counted];
  return JSON.stringify(message);
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    write('holdpoint', line);
    child.stdin.write(`${line}\n`);
  })
  .on('close', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => {
  write('agent', basename(binary) === 'claude' ? lean(line) : line);
  process.stdout.write(`${line}\n`);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
