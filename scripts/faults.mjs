// `npm run faults -- --minutes N --seed S`: installs what is needed, then runs a long round of the fault harness on
// Node >= 24.

import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
handOver(requireNode(), [join(root, 'test', 'faults', 'main.ts'), ...process.argv.slice(2)]);
