// The environment in which a process of Holdpoint has the toy agent in its registry.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const TOY_PROGRAM = join(import.meta.dirname, 'program.mjs');

const register = pathToFileURL(join(import.meta.dirname, 'register.ts')).href;
export const TOY_ENVIRONMENT = { NODE_OPTIONS: `--import=${register}` };
