// Text that attacks a terminal, and what of it must never be printed.

/** Control characters except the line feed; bidirectional and zero-width characters; tags. */
export const DANGEROUS = /(?!\n)\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

export const HOSTILE = {
  colours: '\u001b[31mred\u001b[0m',
  'hidden text': 'ls \u001b[8m; rm -rf ~\u001b[28m',
  'a title': '\u001b]0;pwned\u0007',
  'the clipboard': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'a link': '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  'a device string': '\u001bP+q544e\u001b\\',
  'cursor movement': 'good\u001b[2K\u001b[1Gevil',
  'C1 sequences': '\u009b31m\u009d52;c;x\u009c',
  'NUL and bell': 'a\u0000b\u0007c\u0008d',
  'a carriage return': 'rm -rf ~\rls      ',
  'bidirectional marks': 'a\u202egnirts\u202c \u2066x\u2069',
  'zero widths': 'r\u200bm\u2060 -rf\ufeff',
  tags: `x${'\u{e0041}\u{e0042}'}`,
  'an unfinished sequence': 'text\u001b[',
  'half a surrogate': 'a\ud800b',
  'line separators': 'a\u2028b\u2029c',
};
