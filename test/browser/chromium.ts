// Finds the Chromium that the tests drive: one that is installed on the machine, or the one that `npm test` downloaded for
// playwright-core. Installs nothing.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Looks at HOLDPOINT_CHROMIUM, then playwright-core's own, then the PATH and the usual folders. */
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
