// What the programs that a worker starts see of its own environment: all but the settings of Holdpoint itself, which are
// nobody else's business: they hold its token. A run has its own.
const OWN_SETTINGS = /^HOLDPOINT_/;

export const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !OWN_SETTINGS.test(entry[0]),
    ),
  );
