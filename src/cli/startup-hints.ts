// Suggests what to do once the server runs: commands that can be copied into another terminal as they are, with the
// settings that terminal would not know.
import { resolve } from 'node:path';
import { serverUrl, stateFolder } from '../client/local.ts';
import { shellQuote } from '../node/shell-quote.ts';
import { programName } from './program-name.ts';

export interface ServerAccess {
  url: string;
  data: string;
  /** Given by the person, and therefore in no file. */
  token: string | undefined;
}

export function startupHints(access: ServerAccess, env: NodeJS.ProcessEnv): string {
  const name = programName(env);
  const settings = settingsElsewhere(access);
  return [
    'In another terminal:',
    ...(settings.length > 0 ? [`  export ${settings.join(' ')}`] : []),
    `  ${name} demo      an agent works and asks; answer it`,
    `  ${name} inbox     everything that is waiting for an answer, live`,
    `  ${name} sign-in   another link for a browser`,
    `  ${name} doctor    check the installation`,
    `The API is described at ${access.url}/docs. Ctrl-C stops the server.`,
    '',
  ].join('\n');
}

/** Another terminal finds the default server and the default state folder by itself. */
export function settingsElsewhere({ url, data, token }: ServerAccess): string[] {
  return [
    ...(url === serverUrl({}) ? [] : [`HOLDPOINT_URL=${url}`]),
    ...(token !== undefined || data === stateFolder({}) ? [] : [`HOLDPOINT_DATA=${shellQuote(resolve(data))}`]),
    ...(token === undefined ? [] : ["HOLDPOINT_TOKEN='the token you gave'"]),
  ];
}
