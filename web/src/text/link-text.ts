// Names the state of the connection to the server.

export const LINKS = { live: 'Live', connecting: 'Connecting…', lost: 'Offline' } as const;
