// Reads who is notified of what: `routes.yaml` in the state folder, looked at once a second at most. A file that is not
// understood is refused at the start; a server that runs keeps the routes that it understood and reports the fault.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fail } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';
import { compileRoutes, NoticeRoutes, type RouteSet } from '../core/notice-route.ts';
import type { NoticeRoutesFile } from '../notices/notices.ts';

const ROUTES_FILE = 'routes.yaml';
const LOOK_MS = 1000;

export function watchRoutes(
  folder: string,
  channels: readonly string[],
  onFault: (message: string) => void,
): NoticeRoutesFile {
  const path = join(folder, ROUTES_FILE);
  let seen = stateOf(path);
  let looked = performance.now();
  let routes = loadRoutes(path, channels);
  let fault: string | undefined;
  const look = () => {
    if (performance.now() - looked < LOOK_MS) return;
    looked = performance.now();
    const state = stateOf(path);
    if (state === seen) return;
    seen = state;
    fault = undefined;
    try {
      routes = loadRoutes(path, channels);
    } catch (error) {
      fault = `${(error as Error).message} The routes that were read before still apply.`;
      onFault(fault);
    }
  };
  return {
    routes() {
      look();
      return routes;
    },
    fault() {
      look();
      return fault;
    },
  };
}

function loadRoutes(path: string, channels: readonly string[]): RouteSet {
  const text = textOf(path);
  if (text === undefined) return [];
  const read = NoticeRoutes.safeParse(yamlOf(path, text));
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw fail(
      'invalid_request',
      `${path}: ${where === '' ? 'it' : where} ${issue ? issueText(issue) : 'is not valid'}.`,
    );
  }
  const { routes } = read.data;
  const named = routes
    .flatMap(({ tell, after = {} }) => [tell, ...Object.values(after)].flat())
    .flatMap(({ by = [] }) => by);
  const unknown = named.find((channel) => !channels.includes(channel));
  if (unknown === undefined) return compileRoutes(routes);
  throw fail('invalid_request', `${path}: there is no channel "${unknown}". There are: ${channels.join(', ')}.`);
}

const stateOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.size}` : 'none';
};

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fail('invalid_request', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function yamlOf(path: string, text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw fail('invalid_request', `${path} is not YAML: ${(error as Error).message}`);
  }
}
