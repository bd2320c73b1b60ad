// Limits and checks the text of scripts that a request carries: it shows what the hash beside it binds, or is refused.
import type { Ask, NamedFile } from './ask.ts';
import type { Hash } from './digest.ts';
import { type Refusal, refuse } from './errors.ts';

/** Of one file, and of all files of a request. */
export const SCRIPT_BYTES = 16 * 1024;
export const SCRIPTS_BYTES = 32 * 1024;

export function checkScriptTexts(files: readonly NamedFile[] | undefined, hash: Hash): Refusal | undefined {
  const shown = (files ?? []).flatMap(({ path, sha256, text }) => (text === undefined ? [] : [{ path, sha256, text }]));
  const wrong = shown.find(({ sha256, text }) => hash(text) !== sha256);
  if (wrong)
    return refuse(
      'invalid_ask',
      `The \`text\` of ${wrong.path} does not have the SHA-256 that its \`sha256\` says. Send the file as it is, as UTF-8, or leave \`text\` out.`,
    );
  if (shown.reduce((sum, { text }) => sum + text.length, 0) > SCRIPTS_BYTES)
    return refuse('invalid_ask', `The texts of \`files\` are longer than ${SCRIPTS_BYTES} together. Leave some out.`);
  return undefined;
}

/** Tells requests apart that differ only in their files, or in whether they show them. */
export const filesKey = ({ kind, digest, content }: Ask): string =>
  kind === 'approval' ? `${digest} ${content.files?.map(({ text }) => (text === undefined ? 0 : 1)).join('')}` : '';
