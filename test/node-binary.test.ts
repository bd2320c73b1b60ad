// What a clone and the image install: the Node binary that a clone brings, which no lockfile covers, and the lockfile.
// Covers: scripts/node.mjs
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

interface NodeScript {
  CHECKSUMS: Record<string, string>;
  root: string;
  findNode(): string | undefined;
  isGenuine(path: string, checksum: string, note: string): boolean;
}
const script: string = '../scripts/node.mjs';
const { CHECKSUMS, findNode, isGenuine, root } = (await import(script)) as NodeScript;

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-node-'));
afterAll(() => rmSync(folder, { recursive: true }));
const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

describe('finding 24: the Node binary of a clone', () => {
  const binary = join(folder, 'node');
  const note = join(folder, 'note');

  it('is run only with the listed checksum, however it was noted before', () => {
    writeFileSync(binary, 'genuine');
    expect(isGenuine(binary, sha256('genuine'), note)).toBe(true);
    expect(isGenuine(binary, sha256('genuine'), note)).toBe(true);
    expect(isGenuine(binary, sha256('another'), note)).toBe(false);
    writeFileSync(binary, 'replaced by something else');
    expect(isGenuine(binary, sha256('genuine'), note)).toBe(false);
  });

  it('has the listed checksum where it is installed on a listed platform', () => {
    const own = join(root, 'node_modules', 'node', 'bin', 'node');
    const listed = CHECKSUMS[`${process.platform}-${process.arch}`];
    if (!existsSync(own) || listed === undefined) return;
    expect(createHash('sha256').update(readFileSync(own)).digest('hex')).toBe(listed);
    expect(findNode()).toBe(own);
  });

  it('is not what the image runs, which is built from the lockfile without install scripts', () => {
    const image = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
    expect(image).toMatch(/^COPY .*package-lock\.json/m);
    for (const [command] of image.matchAll(/npm (?:install|ci).*$/gm))
      if (!command.includes('`')) expect(command).toContain('--ignore-scripts');
  });
});

describe('finding 24: the lockfile', () => {
  interface Locked {
    dev?: boolean;
    integrity?: string;
    link?: boolean;
    optionalDependencies?: Record<string, string>;
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };

  /** As Node resolves it: beside the package, or in a folder above it. */
  function isLocked(owner: string, name: string): boolean {
    const folders = owner.split(/(?:^|\/)node_modules\//).slice(1);
    return [...folders.keys(), folders.length].some((depth) => {
      const above = folders.slice(0, depth).map((folder) => `node_modules/${folder}/`);
      return `${above.join('')}node_modules/${name}` in packages;
    });
  }

  it('names the optional packages of every platform, without which `npm ci` refuses it', () => {
    const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(owner, name)),
    );
    expect(missing).toEqual([]);
  });

  it('has the hash of every package that Holdpoint runs with', () => {
    const unpinned = Object.entries(packages).filter(([name, { dev, integrity }]) => name !== '' && !dev && !integrity);
    expect(unpinned).toEqual([]);
  });

  it('is what the image installs from', () => {
    expect(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')).toMatch(/^RUN npm ci --ignore-scripts/m);
  });
});
