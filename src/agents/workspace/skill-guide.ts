// What of a published skill is laid: files that tell an agent something, none that allow it something. An agent's program
// reads more than words in a skill: front matter that opens up tools or runs commands, and folders of settings whose names
// begin with a dot. Whoever may publish would decide that without being asked. Pure.
import { parse } from 'yaml';
import type { SkillFile } from '../../client/skill-files.ts';
import { FRONT_MATTER } from '../../core/skill.ts';

const HARMLESS = new Set('name description version license compatibility author tags metadata'.split(' '));
/** Where somebody might see front matter: white space before it is not what decides. */
const LOOKS_LIKE_FRONT_MATTER = /^[\s\ufeff]*---/;

/** `left`: what is not laid, in words. */
export function laidSkill(files: readonly SkillFile[]): { files: SkillFile[]; left: string[] } {
  const left: string[] = [];
  const laid = files.flatMap((file): SkillFile[] => {
    const parts = file.path.split('/');
    const isHidden = parts.some((part) => part.startsWith('.'));
    const guide = isHidden ? undefined : guideOf(parts.at(-1) ?? '', file.bytes);
    if (!guide) left.push(file.path);
    if (guide) left.push(...guide.left.map((key) => `${key} in the front matter of ${file.path}`));
    return guide ? [{ ...file, bytes: guide.bytes }] : [];
  });
  return { files: laid, left };
}

function guideOf(name: string, bytes: Uint8Array): { bytes: Uint8Array; left: string[] } | undefined {
  const text = /^skill\.md$/i.test(name) ? Buffer.from(bytes).toString('utf8') : '';
  if (!LOOKS_LIKE_FRONT_MATTER.test(text)) return { bytes, left: [] };
  const found = FRONT_MATTER.exec(text);
  const entries = found && entriesOf(found[1] ?? '');
  if (!entries) return undefined;
  const kept = entries.filter(([key]) => HARMLESS.has(key)).map(([key, value]) => `${key}: ${onOneLine(value)}\n`);
  const laid = `---\n${kept.join('')}---\n${text.slice(found[0].length)}`;
  return { bytes: Buffer.from(laid), left: entries.map(([key]) => key).filter((key) => !HARMLESS.has(key)) };
}

function entriesOf(yaml: string): [string, unknown][] | undefined {
  try {
    return Object.entries((parse(yaml, { schema: 'failsafe' }) ?? {}) as object);
  } catch {
    return undefined;
  }
}

/**
 * Readers of front matter differ, and some end it at the first three dashes, wherever they are. Written like this
 * no value has a line of its own, or dashes that end anything: all of them read the same.
 */
const onOneLine = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('---', '--\\u002d')
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
