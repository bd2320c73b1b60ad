// Verifies what `holdpoint audit export` wrote, with nothing of Holdpoint: Node and its crypto module alone. It prints what is
// wrong and exits with 10, or says how far the log is signed.
//
//   node verify-audit.mjs log.jsonl [--key <public key>]… [--witness <file>]…
//
// SPEC.md ("Events") has the format; lines are read in the order of the export. Give the first key that signed, from another
// source than the log, and a witness: without them, a log that was rewritten and signed again as a whole is not recognised.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { key: { type: 'string', multiple: true }, witness: { type: 'string', multiple: true } },
});
const faults = [];
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const ZEROS = '0'.repeat(64);

/** RFC 8785: keys sorted, no white space; JavaScript writes strings and numbers as it wants them. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

function isSigned(text, signature, x) {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

// Every session's events are linked: each has the hash of the one before it.
const sessions = new Map();
function link(event) {
  const { session_id, session_seq, seq, id, at_ms, type, run_id = null, ask_id = null, prev_hash, hash } = event;
  const head = sessions.get(session_id) ?? { session_seq: 0, hash: ZEROS, seq: 0, hashes: new Map() };
  const linked = [prev_hash, session_id, session_seq, id, at_ms, type, run_id, ask_id, canonical(event.data)];
  const where = `session ${session_id}: event ${session_seq}`;
  if (session_seq !== head.session_seq + 1) faults.push(`${where} follows ${head.session_seq}`);
  else if (prev_hash !== head.hash) faults.push(`${where} does not link to the one before it`);
  else if (hash !== sha256(JSON.stringify(linked))) faults.push(`${where} was altered`);
  else if (!Number.isSafeInteger(seq) || seq <= head.seq) faults.push(`${where} is out of order`);
  head.hashes.set(session_seq, hash);
  sessions.set(session_id, { ...head, session_seq, hash, seq });
}

// Checkpoints are chained and signed. The first key, or those given, may sign, and each key that such a key introduced.
const [allowed, checkpoints] = [new Set(values.key ?? []), new Set()];
let uncovered = [];
let [through, previous, hasChain] = [0, ZEROS, false];
function mayHaveSigned(key) {
  if (allowed.size === 0) allowed.add(key);
  return allowed.has(key);
}

function readCheckpoint({ seq, data }) {
  const { signature, ...statement } = data;
  const { key, ...unchained } = statement;
  const isChained = data.order !== undefined;
  const fault = (what) => faults.push(`the checkpoint at event ${seq} ${what}`);
  if (!mayHaveSigned(key)) fault(`is signed by another key: ${key}`);
  if (!isSigned(canonical(isChained ? statement : unchained), signature, key)) fault('has a false signature');
  if (data.after_seq !== through) fault(`follows event ${data.after_seq}, the one before it ended at ${through}`);
  if (isChained ? data.previous !== previous : hasChain) fault('does not follow the checkpoint before it');
  previous = sha256(canonical(data));
  checkpoints.add(previous);
  hasChain ||= isChained;
  const covered = uncovered.filter((event) => event.seq <= data.through_seq);
  const order = sha256(covered.map((event) => `${event.seq} ${event.hash}\n`).join(''));
  for (const { session_id, session_seq, hash } of data.heads) {
    const { hashes } = sessions.get(session_id) ?? { hashes: new Map() };
    if (hashes.get(session_seq) !== hash)
      fault(`signed event ${session_seq} of session ${session_id}, which is missing or another one`);
    for (const known of hashes.keys()) if (known <= session_seq) hashes.delete(known);
  }
  if (isChained && (covered.length !== data.events || order !== data.order))
    fault(`signed ${data.events} events in another order, or others`);
  through = data.through_seq;
  uncovered = uncovered.filter((event) => event.seq > through);
}

function introduceKey({ seq, data: { key, previous_key, signature } }) {
  const isGenuine = mayHaveSigned(previous_key) && isSigned(canonical({ key, previous_key }), signature, previous_key);
  if (!isGenuine && !values.key?.includes(key))
    faults.push(`the signing key introduced at event ${seq} is not signed by the key before it`);
  allowed.delete(previous_key);
  allowed.add(key);
}

/** A line ends at a line feed only: a text may have other separators of lines. */
async function* linesOf(file) {
  let open = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (open + chunk).split('\n');
    open = lines.pop();
    yield* lines;
  }
  if (open !== '') yield open;
}

/** Of a key that is written twice, parsers keep different ones. */
function parsed(line) {
  let members = -1;
  const value = JSON.parse(line, function (_, member) {
    members += Array.isArray(this) ? 0 : 1;
    return member;
  });
  if (line.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1 === members) return value;
  throw new Error('a key is given twice');
}

let [at, events] = [0, 0];
for await (const line of linesOf(positionals[0])) {
  at += 1;
  if (line.trim() === '') continue;
  try {
    const event = parsed(line);
    events += 1;
    uncovered.push({ seq: event.seq, hash: event.hash, type: event.type });
    link(event);
    if (event.type === 'audit.checkpoint') readCheckpoint(event);
    if (event.type === 'audit.key') introduceKey(event);
  } catch (error) {
    faults.push(`line ${at} is not an event of Holdpoint: ${error.message}`);
  }
}

if (values.key && checkpoints.size === 0) faults.push('nothing in this log is signed by the key that was given');

// A witness keeps checkpoints elsewhere. One that the log does not have was cut off or rewritten.
for (const file of values.witness ?? []) {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.every((line) => line.trim() === '')) faults.push(`the witness ${file} has no checkpoints`);
  for (const [i, line] of lines.entries())
    if (line.trim() !== '' && !checkpoints.has(sha256(line)))
      faults.push(`line ${i + 1} of ${file} is no checkpoint of this log, which was cut off or rewritten`);
}

for (const fault of faults) console.log(`✗ ${fault}`);
if (faults.length === 0) {
  const since = uncovered.filter(({ type }) => type !== 'audit.checkpoint').length;
  console.log(`✓ ${events} events in ${sessions.size} sessions; signed through event ${through}, ${since} since`);
}
process.exitCode = faults.length > 0 ? 10 : 0;
