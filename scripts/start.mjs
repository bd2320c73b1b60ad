// `npm start`: installs what is needed, builds the web page when it changed, then runs `holdpoint serve` with the
// arguments it was given.
// The server gets the environment as it was before npm, because the agents it hosts get theirs from it.
// Prints nothing to standard output; that belongs to the server, whose one line is `holdpoint ready <url>`.

import { join } from 'node:path';
import { buildWebIfNeeded } from './build-web.mjs';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';
import { withoutNpm } from './without-npm.mjs';

const WATCH_MS = 250;

await installIfNeeded();
buildWebIfNeeded();
const isByNpm = process.env.npm_lifecycle_event === 'start';
const env = isByNpm ? withoutNpm(process.env, root) : process.env;
handOver(requireNode(), [join(root, 'bin', 'holdpoint'), 'serve', ...process.argv.slice(2)], { env });
if (isByNpm) endWithParent(process.ppid);

/** npm passes SIGTERM to the shell between it and us, and the shell dies without telling: notice being orphaned. */
function endWithParent(parent) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, WATCH_MS);
}
