// `npm run screenshots`: builds the page if it changed, then takes the pictures in docs/screenshots on Node >= 24.

import { join } from 'node:path';
import { buildWebIfNeeded } from './build-web.mjs';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

await installIfNeeded();
buildWebIfNeeded();
handOver(requireNode(), [join(root, 'test', 'browser', 'screenshots.ts')]);
