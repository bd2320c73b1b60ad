// Computes digests over canonical JSON (RFC 8785): of the action of an approval, the questions of an ask, the payload of a
// request. The hash function is a parameter.
import canonicalize from 'canonicalize';
import { type ApprovalContent, type AskKind, boundFiles, type QuestionContent } from './ask.ts';

export type Hash = (text: string) => string;

/** For a value whose keys are sorted already, JSON.stringify gives the same text at a third of the cost. */
export function canonical(value: unknown): string {
  return (isInOrder(value) ? JSON.stringify(value) : canonicalize(value)) ?? 'null';
}

/** Whether RFC 8785 has nothing to change or refuse in it. */
function isInOrder(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  if ('toJSON' in value) return false;
  let before = '';
  for (const key of Object.keys(value)) {
    if (key < before || !key.isWellFormed() || !isInOrder((value as Record<string, unknown>)[key])) return false;
    before = key;
  }
  return true;
}

/** Each digest includes its purpose, so that none can stand for another. */
export const digestOf = (what: string, value: unknown, hash: Hash): string =>
  `sha256:${hash(canonical([what, value]))}`;

/** `workFolder` is the session's; an action that says where it runs is digested with that. */
export function approvalDigest(content: ApprovalContent, workFolder: string | undefined, hash: Hash): string {
  const { tool_name, input, work_folder, files } = content;
  const bound = files ? [boundFiles(files)] : [];
  return digestOf('approval', [tool_name, input, work_folder ?? workFolder ?? null, ...bound], hash);
}

export function questionDigest({ questions, context }: QuestionContent, hash: Hash): string {
  return digestOf('question', context === undefined ? questions : { questions, context }, hash);
}

export function payloadHash(kind: AskKind, mode: string, content: unknown, hash: Hash): string {
  return digestOf('payload', [kind, mode, content], hash);
}
