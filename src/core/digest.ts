// Canonical JSON (RFC 8785) and what is digested: the action an approval shows, the questions a person sees, the
// payload of a request. The hash function itself comes from outside.
import canonicalize from 'canonicalize';
import type { ApprovalContent, AskKind, QuestionContent } from './ask.ts';

export type Hash = (text: string) => string;

export function canonical(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

/** Each digest names what it is of, so that no digest of one thing can stand for another. */
export const digestOf = (what: string, value: unknown, hash: Hash): string =>
  `sha256:${hash(canonical([what, value]))}`;

export function approvalDigest(content: ApprovalContent, workFolder: string | undefined, hash: Hash): string {
  return digestOf('approval', [content.tool_name, content.input, workFolder ?? null], hash);
}

export function questionDigest({ questions, context }: QuestionContent, hash: Hash): string {
  return digestOf('question', context === undefined ? questions : { questions, context }, hash);
}

export function payloadHash(kind: AskKind, mode: string, content: unknown, hash: Hash): string {
  return digestOf('payload', [kind, mode, content], hash);
}
