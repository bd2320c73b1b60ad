// Text as the server takes it: what an agent or a program wrote may have characters that no database keeps. They are
// shown by a sign, so that nothing is refused for their sake. Not for what a person decides about: that is told to the
// letter, or not at all.

/** ␀ for NUL, � for half of a character, as where a text was cut in the middle of one. */
export const tellable = <T extends string | undefined>(text: T): T => text?.replaceAll('\0', '␀').toWellFormed() as T;
