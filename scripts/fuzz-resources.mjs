// `npm run fuzz:resources -- --seconds N`: hostile tokens try to slow a server down or to make it grow.
import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
handOver(requireNode(), [join(root, 'test', 'fuzz', 'resources.ts'), ...process.argv.slice(2)]);
