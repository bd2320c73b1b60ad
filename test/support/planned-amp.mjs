// Stands in for `amp --execute --stream-json`: prints what the real one documents for that stream. With `[fail]` in its prompt it
// ends with an error, with `[exit]` without a result. What it was started with is in its result; with `[settings]`, its settings.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const prompt = (await text(process.stdin)).trim();
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const assistant = (...content) =>
  say({ type: 'assistant', message: { role: 'assistant', content }, session_id: 'T-9' });

say({ type: 'system', subtype: 'init', session_id: 'T-9', cwd: process.cwd(), tools: ['Bash'] });
assistant({ type: 'text', text: 'On it.' }, { type: 'tool_use', id: 'tu_1', name: 'Bash', input: { cmd: 'ls' } });
if (prompt.includes('[exit]')) {
  process.stderr.write('No login\n');
  process.exit(1);
}
const file = process.env.AMP_SETTINGS_FILE;
const result = prompt.includes('[settings]')
  ? JSON.stringify({ file, settings: readFileSync(file, 'utf8') })
  : `${process.argv.slice(2).join(' ')}: ${prompt}`;
const about = { type: 'result', session_id: 'T-9', num_turns: 1 };
if (prompt.includes('[fail]'))
  say({ ...about, subtype: 'error_during_execution', is_error: true, error: 'Out of credits' });
else say({ ...about, subtype: 'success', is_error: false, result });
