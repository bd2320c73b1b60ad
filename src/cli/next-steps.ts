// What a person may do once the server is up: commands that can be copied into another terminal as they are, with the
// settings that terminal would not know.
import { resolve } from 'node:path';
import type { Settings } from '../boot.ts';
import { serverUrl, stateFolder } from '../client/local.ts';
import { ownName } from './own-name.ts';

export function nextSteps(settings: Pick<Settings, 'data' | 'token'>, url: string, env: NodeJS.ProcessEnv): string {
  const name = [...settingsElsewhere(settings, url), ownName(env)].join(' ');
  return [
    'In another terminal:',
    `  ${name} demo      an agent works and asks; answer it`,
    `  ${name} inbox     everything that waits for an answer, live`,
    `  ${name} doctor    is everything in order?`,
    `The API is described at ${url}/docs. Ctrl-C stops the server.`,
    '',
  ].join('\n');
}

/** Another terminal finds the default server and the default folder by itself. */
function settingsElsewhere(settings: Pick<Settings, 'data' | 'token'>, url: string): string[] {
  return [
    ...(url === serverUrl({}) ? [] : [`HOLDPOINT_URL=${url}`]),
    ...(settings.token === undefined && settings.data !== stateFolder({})
      ? [`HOLDPOINT_DATA=${inShell(resolve(settings.data))}`]
      : []),
    ...(settings.token === undefined ? [] : ['HOLDPOINT_TOKEN=<the token you gave>']),
  ];
}

const inShell = (text: string): string => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
