// Tells whether a word of a shell script stands where a command does. Pure. The highlighter's grammar takes every word that
// is the name of a command for one: `rm` in `--rm`, `test` in `npm test`.

const BEFORE_COMMAND = /(?:^|[;&|({`!\n]|\b(?:then|do|else|if|while|until|sudo|exec|time)\s)[ \t]*$/;
/** As much of what precedes the word as is looked at. */
const MOST_CHARACTERS = 60;

/** `before`: the script up to the word. */
export const isCommandPlace = (before: string): boolean =>
  BEFORE_COMMAND.test(before.length > MOST_CHARACTERS ? `…${before.slice(-MOST_CHARACTERS)}` : before);
