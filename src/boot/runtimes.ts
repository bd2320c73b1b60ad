// Loads runtimes of headless programs that are not part of this build: modules named by a worker's settings, each with one
// `RuntimeAdapter` as its default export. A module that has none is refused, so that no worker starts without it.
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { RuntimeAdapter } from '../agents/kit/runtime.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const inside = z
  .string()
  .refine(
    (path) => path !== '' && !isAbsolute(path) && !path.split(/[\\/]/).includes('..'),
    'must be a path inside the workspace',
  );

const Adapter = z.looseObject({
  name: z.string().min(1),
  sentinel: inside,
  skills: inside,
  recognises: z.custom(isFunction, 'must be a function'),
  overlay: z.custom(isFunction, 'must be a function'),
  invoke: z.custom(isFunction, 'must be a function'),
});

/** `files`: paths of modules, relative to the current folder. */
export const loadRuntimes = (files: readonly string[] = []): Promise<RuntimeAdapter[]> =>
  Promise.all(files.map(loadRuntime));

async function loadRuntime(file: string): Promise<RuntimeAdapter> {
  const { default: adapter } = (await import(pathToFileURL(resolve(file)).href).catch((error: Error) => {
    throw new Error(`The runtime ${file} cannot be loaded: ${error.message}`);
  })) as { default?: unknown };
  const read = Adapter.safeParse(adapter);
  if (read.success) return adapter as RuntimeAdapter;
  throw new Error(`The default export of ${file} is not a RuntimeAdapter: ${z.prettifyError(read.error)}`);
}
