// `npm run bench`: installs what is needed, then runs the bench on Node >= 24 with the arguments it was given.

import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
handOver(requireNode(), [join(root, 'bench', 'run.ts'), ...process.argv.slice(2)]);
