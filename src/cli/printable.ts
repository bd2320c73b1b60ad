// Text from an agent, fit for a terminal: nothing in it can move the cursor, change colours, ring or hide. Escape
// sequences and control characters go; characters that are invisible or turn the reading direction are spelled out.

const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is taken out
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const HIDDEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export const printable = (text: string): string =>
  text
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')
    .replace(HIDDEN, (c) => `<U+${c.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`);

/** On one line, for labels and lists. */
export const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim();
