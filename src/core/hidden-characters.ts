// Finds characters that a person would not see in what an agent wants to run: controls, zero widths, fillers, tags,
// direction marks, and characters that look like a space. Every surface shows them spelled out, in its own way.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
export const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/**
 * C1 controls, line separators, and all that Unicode says is not shown. The selectors that make a character an emoji or
 * a text sign may stay.
 */
export const HIDDEN = /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\u0080-\u009f\u2028\u2029\ufff9-\ufffb]/gu;
/** Harmless in prose, not in a command. */
export const FALSE_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
export const COLOURS = /\u001b\[[0-9;:]*m/g;

/** `U+202E` */
export const codePoint = (c: string): string =>
  `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** ␛ for escape, ␀ for NUL, and so on. */
export const picture = (control: string): string =>
  control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0));
