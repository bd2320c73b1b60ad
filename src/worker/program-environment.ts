// Gives programs the worker's environment without the settings of Holdpoint itself, which include its token.
const OWN_SETTINGS = /^HOLDPOINT_/;

export const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !OWN_SETTINGS.test(entry[0]),
    ),
  );
