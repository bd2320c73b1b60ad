// A zip as a stranger sent it: read without trust, entry by entry, never written anywhere. What is not exactly one folder
// with a SKILL.md in it is refused with the reason. Nothing of it is stored before all of it was read.
import { createHash } from 'node:crypto';
import { parse as parseYaml } from 'yaml';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { fail, HoldpointError } from '../core/errors.ts';
import { ARCHIVE_BYTES, FRONT_MATTER, isMacMetadata, UNPACKED_BYTES } from '../core/skill.ts';
import type { SkillContent } from '../gateway/skill.ts';

const MOST_ENTRIES = 2000;
const LONGEST_PATH = 300;
/** Parsing takes more than linear time. */
const LONGEST_FRONT_MATTER = 16_384;
const LONGEST_DESCRIPTION = 4000;
const FILE_TYPE = 0o170000;
const PLAIN_TYPES = [0, 0o100000, 0o040000];

const refused = (why: string): HoldpointError => fail('invalid_skill', `This is no skill: ${why}`);

/** `fileName` is what the zip was called: its folder has the same name. */
export async function readSkill(fileName: string, bytes: Buffer): Promise<SkillContent> {
  if (bytes.length > ARCHIVE_BYTES)
    throw fail('skill_too_large', `A skill's zip has at most ${ARCHIVE_BYTES} bytes; this one has ${bytes.length}.`);
  if (!/\.zip$/i.test(fileName)) throw refused('the file must be a .zip.');
  const folder = fileName.replace(/\.zip$/i, '');
  const text = await guideOf(folder, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { folder, ...frontMatter(text), sha256, size: bytes.length, archive: bytes.toString('base64') };
}

/** The text of its SKILL.md, after every entry was looked at and unpacked to its end. */
async function guideOf(folder: string, bytes: Buffer): Promise<string> {
  try {
    const zip = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true });
    return await readAll(zip, folder);
  } catch (error) {
    if (error instanceof HoldpointError) throw error;
    throw refused(`the zip cannot be read: ${(error as Error).message}.`);
  }
}

async function readAll(zip: ZipFile, folder: string): Promise<string> {
  if (zip.entryCount > MOST_ENTRIES) throw refused(`it has more than ${MOST_ENTRIES} entries.`);
  const seen = new Set<string>();
  let unpacked = 0;
  let guide: string | undefined;
  for await (const entry of zip.eachEntry()) {
    if (isMacMetadata(entry.fileName)) continue;
    checkEntry(entry, folder, seen);
    unpacked += entry.uncompressedSize;
    if (unpacked > UNPACKED_BYTES) throw refused(`it has more than ${UNPACKED_BYTES} bytes when unpacked.`);
    if (entry.fileName.endsWith('/')) continue;
    const content = await contentOf(zip, entry);
    if (entry.fileName === `${folder}/SKILL.md`) guide = content.toString('utf8');
  }
  if (guide === undefined) throw refused(`there is no ${folder}/SKILL.md in it: the folder is named as the zip is.`);
  return guide;
}

function checkEntry(entry: Entry, folder: string, seen: Set<string>): void {
  const path = entry.fileName;
  const shown = JSON.stringify(path.slice(0, 100));
  const parts = path.replace(/\/$/, '').split('/');
  const isOdd = parts.some((part) => part === '' || part === '.' || part === '..' || /[\\:\0]/.test(part));
  if (isOdd || path.length > LONGEST_PATH) throw refused(`${shown} is not a path inside its folder.`);
  if (parts[0] !== folder) throw refused(`${shown} is outside the folder "${folder}", which is named as the zip is.`);
  if (!PLAIN_TYPES.includes((entry.externalFileAttributes >>> 16) & FILE_TYPE))
    throw refused(`${shown} is a link or a device; only files and folders are taken.`);
  if (entry.isEncrypted()) throw refused(`${shown} is encrypted.`);
  const name = parts.join('/').toLowerCase();
  if (seen.has(name)) throw refused(`${shown} is in it twice.`);
  seen.add(name);
}

/** As large as it said it would be: the reader stops at the first byte more. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function frontMatter(text: string): Pick<SkillContent, 'description' | 'version'> {
  const found = FRONT_MATTER.exec(text);
  if (!found?.[1]) throw refused('its SKILL.md does not begin with front matter between two lines of three dashes.');
  if (found[1].length > LONGEST_FRONT_MATTER)
    throw refused(`the front matter of its SKILL.md has more than ${LONGEST_FRONT_MATTER} characters.`);
  const { description, version } = yamlOf(found[1]);
  if (typeof description !== 'string' || description.trim() === '')
    throw refused('the front matter of its SKILL.md has no description.');
  if (description.length > LONGEST_DESCRIPTION || description.includes('\0'))
    throw refused(`its description has more than ${LONGEST_DESCRIPTION} characters, or one that is not allowed.`);
  return { description: description.trim(), version: typeof version === 'string' ? version.slice(0, 100) : undefined };
}

function yamlOf(text: string): Record<string, unknown> {
  try {
    // Texts stay texts: version 2.0 is not the number 2.
    const value: unknown = parseYaml(text, { schema: 'failsafe', uniqueKeys: false, maxAliasCount: 0 });
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    throw refused(`the front matter of its SKILL.md is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}
