// Reads who is notified of what: `routes.yaml` in the state folder, looked at once a second at most. One that is not
// understood never keeps the server from starting: without routes, everyone is told.
import { join } from 'node:path';
import { parse } from 'yaml';
import { fail } from '../core/errors.ts';
import { compileRoutes, NoticeRoutes, type RouteSet } from '../core/notice-route.ts';
import type { NoticeRoutesFile } from '../notices/notices.ts';
import { readSettings, watchFile } from './settings-file.ts';

const ROUTES_FILE = 'routes.yaml';
const LOOK_MS = 1000;
/** A file in which everything is commented out has no routes. */
const YAML = { name: 'YAML', parse: (text: string): unknown => parse(text, { maxAliasCount: 0 }) ?? { routes: [] } };

export function watchRoutes(
  folder: string,
  channels: readonly string[],
  onFault: (message: string) => void,
): NoticeRoutesFile {
  const path = join(folder, ROUTES_FILE);
  const load = () => loadRoutes(path, channels);
  const file = watchFile({ path, what: 'routes', load, fallback: compileRoutes([]), everyMs: LOOK_MS, onFault });
  return { routes: file.value, fault: file.fault };
}

function loadRoutes(path: string, channels: readonly string[]): RouteSet {
  const { routes } = readSettings(path, YAML, NoticeRoutes) ?? { routes: [] };
  const named = routes
    .flatMap(({ tell, after = {} }) => [tell, ...Object.values(after)].flat())
    .flatMap(({ by = [] }) => by);
  const unknown = named.find((channel) => !channels.includes(channel));
  if (unknown === undefined) return compileRoutes(routes);
  throw fail('invalid_request', `${path}: there is no channel "${unknown}". There are: ${channels.join(', ')}.`);
}
