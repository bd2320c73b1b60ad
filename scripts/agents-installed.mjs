// Which of the real agents that the tests run are not there, by name. They are optional packages: npm says that all went
// well when one of them could not be downloaded.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOR_ONE_SYSTEM = /-(?:darwin|linux|win32|sunos)-(?:arm64|x64)$/;

/** Of the packages that `folder` wants for this system, those whose download is not complete. */
export function missingAgents(folder, system = `${process.platform}-${process.arch}`) {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.keys(optionalDependencies)
    .filter((name) => !FOR_ONE_SYSTEM.test(name) || name.endsWith(`-${system}`))
    .filter((name) => !existsSync(join(folder, 'node_modules', name, 'package.json')));
}
