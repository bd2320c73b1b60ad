// `npm run faults:notices -- --minutes N --seed S`: installs what is needed, then runs the fault run of notices on
// Node >= 24.

import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
handOver(requireNode(), [join(root, 'test', 'faults', 'notices.ts'), ...process.argv.slice(2)]);
