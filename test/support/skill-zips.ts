// Zips for the tests: good ones, and every bad one that somebody might send.
import { strToU8, type Zippable, zipSync } from 'fflate';

export const GUIDE = `---
name: review-notes
description: How to write review notes.
version: 1.2
---

# Review notes
`;
const text = (content: string) => strToU8(content);
const SYMLINK = { os: 3, attrs: 0o120777 << 16 };
const DEVICE = { os: 3, attrs: 0o020666 << 16 };

export const zip = (files: Zippable): Buffer => Buffer.from(zipSync(files));
export const skillZip = (name = 'review-notes', guide = GUIDE, more: Zippable = {}): Buffer =>
  zip({ [`${name}/SKILL.md`]: text(guide), [`${name}/scripts/count.sh`]: text('#!/bin/sh\necho 3\n'), ...more });

const guide = { 'review-notes/SKILL.md': text(GUIDE) };
const MEGABYTE = 1024 * 1024;
const zeros = (megabytes: number) => new Uint8Array(megabytes * MEGABYTE);

/** What must be refused with 400, each with a word of the reason. */
export const BAD: [name: string, zip: () => Buffer, reason: RegExp][] = [
  ['no zip', () => Buffer.from('hello'), /cannot be read/],
  ['nothing', () => Buffer.alloc(0), /cannot be read/],
  ['half a zip', () => skillZip().subarray(0, 100), /cannot be read/],
  ['an empty zip', () => zip({}), /no review-notes\/SKILL\.md/],
  ['traversal upwards', () => zip({ ...guide, '../evil': text('x') }), /invalid relative path|not a path/],
  [
    'traversal inside',
    () => zip({ ...guide, 'review-notes/../../evil': text('x') }),
    /invalid relative path|not a path/,
  ],
  ['an absolute path', () => zip({ ...guide, '/etc/cron.d/evil': text('x') }), /absolute path|not a path/],
  ['a drive', () => zip({ ...guide, 'C:/evil': text('x') }), /absolute path|not a path/],
  ['a backslash', () => zip({ ...guide, 'review-notes\\evil': text('x') }), /invalid characters|not a path/],
  ['an empty part', () => zip({ ...guide, 'review-notes//evil': text('x') }), /not a path/],
  ['a dot part', () => zip({ ...guide, 'review-notes/./evil': text('x') }), /not a path/],
  ['a symlink', () => zip({ ...guide, 'review-notes/link': [text('/etc/passwd'), SYMLINK] }), /a link or a device/],
  ['a device', () => zip({ ...guide, 'review-notes/tty': [text(''), DEVICE] }), /a link or a device/],
  ['a second folder', () => zip({ ...guide, 'other/file': text('x') }), /outside the folder/],
  ['a file beside the folder', () => zip({ ...guide, 'README.md': text('x') }), /outside the folder/],
  ['another folder name', () => skillZip('something-else'), /outside the folder "review-notes"/],
  ['no folder', () => zip({ 'SKILL.md': text(GUIDE) }), /outside the folder/],
  ['SKILL.md too deep', () => zip({ 'review-notes/a/SKILL.md': text(GUIDE) }), /no review-notes\/SKILL\.md/],
  ['the same name in another case', () => zip({ ...guide, 'review-notes/skill.md': text('x') }), /in it twice/],
  ['no front matter', () => skillZip('review-notes', '# Just text'), /front matter/],
  ['front matter without a description', () => skillZip('review-notes', '---\nname: x\n---\n'), /no description/],
  ['a description that is a list', () => skillZip('review-notes', '---\ndescription: [a]\n---\n'), /no description/],
  ['a blank description', () => skillZip('review-notes', '---\ndescription: " "\n---\n'), /no description/],
  ['front matter that is no YAML', () => skillZip('review-notes', '---\n{[\n---\n'), /not YAML/],
  [
    'finding 3: front matter with 32 000 keys, which takes quadratic time to parse',
    () => skillZip('review-notes', `---\n${Array.from({ length: 32_000 }, (_, n) => `k${n}: v\n`).join('')}---\n`),
    /more than 16384 characters/,
  ],
  ['a YAML bomb', () => skillZip('review-notes', yamlBomb()), /not YAML|no description/],
  ['a bomb of one file', () => zip({ ...guide, 'review-notes/zeros': zeros(51) }), /bytes when unpacked/],
  ['a bomb of many', () => zip({ ...guide, ...many(27, 2) }), /bytes when unpacked/],
  [
    'a bomb that lies about its size',
    () => lying(zip({ ...guide, 'review-notes/zeros': zeros(20) })),
    /cannot be read/,
  ],
  ['too many entries', () => zip({ ...guide, ...many(2001, 0) }), /more than 2000 entries/],
];

const many = (count: number, megabytes: number): Zippable =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`review-notes/f${i}`, zeros(megabytes)]));

function yamlBomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  return `---\na0: &a0 [x]\n${levels.join('\n')}\ndescription: *a9\n---\n`;
}

/** Says in its directory that the last entry has ten bytes. */
function lying(bytes: Buffer): Buffer {
  const entry = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  bytes.writeUInt32LE(10, entry + 24);
  return bytes;
}
