// `npm run fuzz:shell -- --lines N`: runs generated command lines in bash and compares what ran with what rules decided.
import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
handOver(requireNode(), [join(root, 'test', 'fuzz', 'shell-main.ts'), ...process.argv.slice(2)]);
