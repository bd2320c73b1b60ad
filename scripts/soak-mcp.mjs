// `npm run soak:mcp -- --cuts N --seed S`: installs the MCP clients of test/mcp/clients, then cuts their calls off.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installIfNeeded } from './install.mjs';
import { handOver, requireNode, root } from './node.mjs';

const folder = join(root, 'test', 'mcp', 'clients');
const stamp = join(folder, 'node_modules', '.holdpoint-install');

await installIfNeeded();
const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  const options = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', options, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(1);
  writeFileSync(stamp, wanted);
}
handOver(requireNode(), [join(folder, 'soak.ts'), ...process.argv.slice(2)]);
