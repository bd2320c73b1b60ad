// Quotes a word so that a POSIX shell reads it as it is. Commands that people copy and programs run are built with it.

export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
