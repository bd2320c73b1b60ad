// What a person may do once the server is up: commands that can be copied into another terminal as they are, with the
// settings that terminal would not know.
import { resolve } from 'node:path';
import { serverUrl, stateFolder } from '../client/local.ts';
import { shellQuote } from '../node/shell-quote.ts';
import { ownName } from './program-name.ts';

export interface Reach {
  url: string;
  data: string;
  /** Given by the person, so that it is in no file. */
  token: string | undefined;
}

export function nextSteps(reach: Reach, env: NodeJS.ProcessEnv): string {
  const name = ownName(env);
  const settings = settingsElsewhere(reach);
  return [
    'In another terminal:',
    ...(settings.length > 0 ? [`  export ${settings.join(' ')}`] : []),
    `  ${name} demo      an agent works and asks; answer it`,
    `  ${name} inbox     everything that waits for an answer, live`,
    `  ${name} sign-in   another link for a browser`,
    `  ${name} doctor    is everything in order?`,
    `The API is described at ${reach.url}/docs. Ctrl-C stops the server.`,
    '',
  ].join('\n');
}

/** Another terminal finds the default server and the default folder by itself. */
export function settingsElsewhere({ url, data, token }: Reach): string[] {
  return [
    ...(url === serverUrl({}) ? [] : [`HOLDPOINT_URL=${url}`]),
    ...(token !== undefined || data === stateFolder({}) ? [] : [`HOLDPOINT_DATA=${shellQuote(resolve(data))}`]),
    ...(token === undefined ? [] : ["HOLDPOINT_TOKEN='the token you gave'"]),
  ];
}
