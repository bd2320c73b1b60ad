// Selects the files of a published skill that inform an agent, and leaves out what would give it permissions: front matter
// that allows tools or runs commands, and settings folders whose names begin with a dot. Pure.
import { parse } from 'yaml';
import type { SkillFile } from '../../client/skill-files.ts';
import { FRONT_MATTER } from '../../core/skill.ts';

const INFORMATIVE = new Set('name description version license compatibility author tags metadata'.split(' '));
/** What some reader may take for front matter, which need not begin in the first column. */
const LOOKS_LIKE_FRONT_MATTER = /^[\s\ufeff]*---/;

/** `leftOut`: descriptions of what was removed. */
export function guideOf(files: readonly SkillFile[]): { files: SkillFile[]; leftOut: string[] } {
  const leftOut: string[] = [];
  const kept = files.flatMap((file): SkillFile[] => {
    const parts = file.path.split('/');
    const isHidden = parts.some((part) => part.startsWith('.'));
    const cleaned = isHidden ? undefined : withoutPermissions(parts.at(-1) ?? '', file.bytes);
    if (!cleaned) {
      leftOut.push(file.path);
      return [];
    }
    leftOut.push(...cleaned.removed.map((key) => `${key} in the front matter of ${file.path}`));
    return [{ ...file, bytes: cleaned.bytes }];
  });
  return { files: kept, leftOut };
}

/** Undefined if its front matter cannot be read. */
function withoutPermissions(name: string, bytes: Uint8Array): { bytes: Uint8Array; removed: string[] } | undefined {
  const text = /^skill\.md$/i.test(name) ? Buffer.from(bytes).toString('utf8') : '';
  if (!LOOKS_LIKE_FRONT_MATTER.test(text)) return { bytes, removed: [] };
  const found = FRONT_MATTER.exec(text);
  const entries = found && found[0].length <= LONGEST_FRONT_MATTER && entriesOf(found[1] ?? '');
  if (!entries) return undefined;
  const kept = entries.filter(([key]) => INFORMATIVE.has(key)).map(([key, value]) => `${key}: ${onOneLine(value)}\n`);
  const removed = entries.map(([key]) => key).filter((key) => !INFORMATIVE.has(key));
  return { bytes: Buffer.from(`---\n${kept.join('')}---\n${text.slice(found[0].length)}`), removed };
}

/** As the server accepts it; a longer one was not published by this version. */
const LONGEST_FRONT_MATTER = 17_000;

function entriesOf(yaml: string): [string, unknown][] | undefined {
  try {
    return Object.entries((parse(yaml, { schema: 'failsafe' }) ?? {}) as object);
  } catch {
    return undefined;
  }
}

/**
 * YAML readers differ, and some end front matter at the first three dashes anywhere. A value on one line without
 * such dashes reads the same for all of them.
 */
const onOneLine = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('---', '--\\u002d')
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
