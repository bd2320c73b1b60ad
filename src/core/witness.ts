// Holds a witness against a log. A witness is a list of checkpoints that someone else keeps, one canonical JSON text on each
// line: since checkpoints are chained, one of them fixes everything before it. Any that the log does not have was cut off or
// rewritten.
import { readCheckpoint, signedText } from './checkpoint.ts';
import type { Hash } from './digest.ts';
import type { Verify } from './signing-keys.ts';

/** What is wrong with a log that should have the checkpoints of these lines; `hashes` are those of its own. */
export function witnessFaults(
  lines: readonly string[],
  hashes: ReadonlySet<string>,
  hash: Hash,
  verify: Verify,
): string[] {
  return lines.flatMap((line, i) => {
    if (hashes.has(hash(line))) return [];
    const said = readCheckpoint(line);
    if (!said || !verify(signedText(said), said.signature, said.key))
      return [`line ${i + 1} of the witness is not a signed checkpoint`];
    const what = `the checkpoint through event ${said.through_seq}, signed by key ${said.key}`;
    return [`line ${i + 1} of the witness: ${what}, is not in this log, which was cut off or rewritten`];
  });
}
