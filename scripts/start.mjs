// `npm start`: installs what is needed, builds the web page when it changed, then runs `holdpoint serve` with the
// arguments it was given.
// Prints nothing to standard output; that belongs to the server, whose one line is `holdpoint ready <url>`.

import { join } from 'node:path';
import { buildWebIfNeeded } from './build-web.mjs';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

const WATCH_MS = 250;

await installIfNeeded();
buildWebIfNeeded();
handOver(requireNode(), [join(root, 'bin', 'holdpoint'), 'serve', ...process.argv.slice(2)]);
if (process.env.npm_lifecycle_event === 'start') endWithParent(process.ppid);

/** npm passes SIGTERM to the shell between it and us, and the shell dies without telling: notice being orphaned. */
function endWithParent(parent) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, WATCH_MS);
}
