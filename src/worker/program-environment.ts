// Gives programs the worker's environment without what belongs to Holdpoint itself: its settings, which include its token,
// and, where the process is also a server on PostgreSQL, the credentials of that database.
const OWN_SETTINGS = /^HOLDPOINT_/;
/** Read by the PostgreSQL driver. */
const DRIVER_SETTINGS = /^PG[A-Z]+$/;

let serversDatabase: string | undefined;

/** The process connects to this database, whose credentials are not for programs. */
export function withholdDatabase(address: string): void {
  serversDatabase = address;
}

export const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isOwn(entry[0], entry[1]),
    ),
  );

function isOwn(name: string, value: string): boolean {
  if (OWN_SETTINGS.test(name)) return true;
  if (serversDatabase === undefined) return false;
  const { password } = new URL(serversDatabase);
  const secrets = [serversDatabase, password, decodeURIComponent(password)].filter(Boolean);
  return DRIVER_SETTINGS.test(name) || secrets.some((secret) => value.includes(secret));
}
