// Downloads a Chromium with playwright-core where none is installed; `npm test` runs this first. Where the download fails
// too, it prints which tests are skipped and why.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findChromium, NO_BROWSER } from './chromium.ts';

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

if (!findChromium()) {
  console.log('No Chromium on this machine; fetching one for the tests of the page…');
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js');
  const args = [cli, 'install', '--only-shell', 'chromium'];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: DOWNLOAD_TIMEOUT_MS });
  if (!findChromium()) console.log(`${stderr.trim().split('\n').slice(0, 3).join('\n')}\n${NO_BROWSER}`);
}
