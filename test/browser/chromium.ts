// The browser the tests drive: a Chromium that is already on the machine, or the one `npm test` installed for
// playwright-core. Owns finding it and saying where it looked; installs nothing.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** HOLDPOINT_CHROMIUM, then the one brought by playwright-core, then what is on the PATH or in the usual places. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.HOLDPOINT_CHROMIUM) return env.HOLDPOINT_CHROMIUM;
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [chromium.executablePath(), ...onPath, ...ELSEWHERE].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}

export const NO_BROWSER =
  'SKIPPED: no Chromium found. Install one (Debian: `apt install chromium`), or name it with HOLDPOINT_CHROMIUM.';
