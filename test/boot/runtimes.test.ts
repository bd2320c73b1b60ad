// A runtime that is not part of this build: the example of docs/runtime-adapter.md compiles, is loaded by a server's own
// worker, and runs a program that asks. A module without a runtime keeps the worker from starting.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { loadRuntimes } from '../../src/boot/runtimes.ts';
import { endEverything, root, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';

afterAll(endEverything);

/** The example, which finds the package in this folder. */
function example(): string {
  const guide = readFileSync(join(root, 'docs/runtime-adapter.md'), 'utf8');
  const [, code = ''] = /## Your own runtime[\s\S]*?```ts\n([\s\S]*?)```/.exec(guide) ?? [];
  const file = join(temporaryFolder(), 'mine.mts');
  writeFileSync(file, code.replace(`'holdpoint/runtime'`, `'${join(root, 'src/agents/kit/runtime.ts')}'`));
  return file;
}

it('the package exports what the example imports', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
  };
  expect(exports['./runtime']).toEqual({
    types: './packages/client/dist/types/agents/kit/runtime.d.ts',
    default: './packages/client/dist/runtime.js',
  });
});

it('the example compiles', { timeout: 120_000 }, async () => {
  const file = example();
  const types = join(root, 'node_modules/@types');
  const compilerOptions = { typeRoots: [types], types: ['node'], rewriteRelativeImportExtensions: false };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files: [file], include: [] };
  writeFileSync(join(file, '..', 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', join(file, '..')]);
  expect(await compiled.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
});

it('the example runs a program that asks, recognised by its command', { timeout: 120_000 }, async () => {
  const work_folder = temporaryFolder();
  const PATH = `${join(work_folder, 'bin')}:${process.env.PATH}`;
  const server = await startHoldpoint({ via: 'main', args: ['--runtime', example()], env: { PATH } });
  const bed = new TestBed(server.url, server.token);
  const program = join(work_folder, 'bin', 'mine');
  mkdirSync(join(program, '..'));
  writeFileSync(
    program,
    `#!/bin/sh\necho "{\\"question\\":\\"$* with $(wc -l < MINE.md)?\\"}" > .agora/needs_input.json\n`,
  );
  chmodSync(program, 0o755);
  const started = spawnHoldpoint({
    via: 'main',
    command: [
      'run',
      'exec',
      '--session-id',
      'release',
      '--work-folder',
      work_folder,
      '--detach',
      '--',
      'mine',
      'release 2.0',
    ],
    env: { HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token },
  });
  expect(await started.exited, started.stderr()).toMatchObject({ code: 0 });
  const [ask] = await bed.pending('release');
  expect(ask?.request).toMatchObject({
    questions: [{ question: expect.stringMatching(/^release 2\.0 --headless with \d+\?$/) }],
  });
});

it('a module without a runtime is refused by name, and keeps the server from starting', async () => {
  const file = join(temporaryFolder(), 'none.mjs');
  writeFileSync(file, 'export default { name: "none", sentinel: "../outside" };');
  await expect(loadRuntimes([file])).rejects.toThrow(/none\.mjs is not a RuntimeAdapter/);
  await expect(loadRuntimes([`${file}x`])).rejects.toThrow(/cannot be loaded/);
  const started = spawnHoldpoint({ via: 'main', args: ['--runtime', file] });
  started.ready.catch(() => {});
  expect((await started.exited).code).toBe(1);
  expect(started.stderr()).toContain('is not a RuntimeAdapter');
});
