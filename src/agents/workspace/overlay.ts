// Writes files into the workspace before a program runs and removes them afterwards. A manifest is written first, so that
// after a crash the next dispatch can remove them. Never replaces a file of the workspace's owner; keeps what the program
// changed in one.
import { hash } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { OverlayFile } from '../kit/runtime.ts';
import { DispatchFailure } from './dispatch-failure.ts';
import { kindOf, leadsInside, makeFolder, readPlain, writePlain } from './files.ts';

const Entry = z.strictObject({
  path: z.string(),
  /** The original content in base64; null if there was no file. */
  before: z.base64().nullable(),
  mode: z.int().transform((mode) => mode & 0o777),
  modified_at: z.number(),
  /** The text that was appended to it. */
  added: z.string(),
  /** Of a file of bytes, which is removed as long as it is unchanged. */
  digest: z.string().optional(),
});
const Manifest = z.strictObject({ files: z.array(Entry).max(10_000), folders: z.array(z.string()).max(10_000) });
type Entry = z.infer<typeof Entry>;
type Manifest = z.infer<typeof Manifest>;

const MANIFEST = 'overlay.json';
const NEW_FILE = { before: null, mode: 0o644, modified_at: 0 };

/** Resolves to the paths that were left out because something else is there. */
export async function layOverlay(workspace: string, own: string, wanted: readonly OverlayFile[]): Promise<string[]> {
  const manifest: Manifest = { files: [], folders: [] };
  const planned: { entry: Entry; bytes: Uint8Array }[] = [];
  const leftOut: string[] = [];
  for (const file of wanted) {
    const plan = await planOf(workspace, file);
    if (!plan) {
      leftOut.push(file.path);
      continue;
    }
    planned.push(plan);
    manifest.files.push(plan.entry);
    manifest.folders.push(...(await missingFolders(workspace, file.path, manifest.folders)));
  }
  if (planned.length === 0) return leftOut;
  await writePlain(join(own, MANIFEST), JSON.stringify(manifest), own);
  for (const folder of manifest.folders) await makeFolder(join(workspace, folder));
  for (const { entry, bytes } of planned) {
    const modifiedAt = entry.before === null ? undefined : new Date(entry.modified_at);
    await writePlain(join(workspace, entry.path), bytes, own, { mode: entry.mode, ...(modifiedAt && { modifiedAt }) });
  }
  return leftOut;
}

async function planOf(workspace: string, { path, content, beside }: OverlayFile) {
  if (!(await leadsInside(workspace, path))) return undefined;
  const isNew = (await kindOf(join(workspace, path))) === 'missing';
  if (typeof content !== 'string') {
    const isScript = content[0] === 0x23 && content[1] === 0x21;
    const entry = { path, ...NEW_FILE, mode: isScript ? 0o755 : 0o644, added: '', digest: digestOf(content) };
    return isNew ? { entry, bytes: content } : undefined;
  }
  if (isNew) return { entry: { path, ...NEW_FILE, added: content }, bytes: Buffer.from(content) };
  const found = beside ? await readPlain(join(workspace, path)) : undefined;
  if (!found || found.bytes.includes(content)) return undefined;
  const gap = found.bytes.length === 0 || found.bytes.at(-1) === 0x0a ? '\n' : '\n\n';
  const original = { mode: found.mode, modified_at: found.modifiedAt.getTime() };
  const entry = { path, before: found.bytes.toString('base64'), ...original, added: gap + content };
  return { entry, bytes: Buffer.concat([found.bytes, Buffer.from(entry.added)]) };
}

const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

async function missingFolders(workspace: string, path: string, known: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (!known.includes(folder) && (await kindOf(join(workspace, folder))) === 'missing') missing.unshift(folder);
  return missing;
}

/** A no-op if there is no manifest. */
export async function removeOverlay(workspace: string, own: string): Promise<void> {
  const found = await readPlain(join(own, MANIFEST));
  if (!found) return;
  const { files, folders } = manifestOf(found.bytes);
  for (const file of files)
    if (await leadsInside(workspace, file.path)) await restore(join(workspace, file.path), own, file);
  for (const folder of folders.toReversed())
    if (await leadsInside(workspace, `${folder}/x`)) await rmdir(join(workspace, folder)).catch(() => {});
  await rm(join(own, MANIFEST), { force: true });
}

async function restore(path: string, own: string, { before, mode, modified_at, added, digest }: Entry): Promise<void> {
  const found = await readPlain(path);
  if (!found) return;
  if (digest !== undefined) return digestOf(found.bytes) === digest ? rm(path, { force: true }) : undefined;
  const at = found.bytes.indexOf(added);
  if (at < 0) return;
  const rest = Buffer.concat([found.bytes.subarray(0, at), found.bytes.subarray(at + Buffer.byteLength(added))]);
  if (before === null && rest.length === 0) return rm(path, { force: true });
  const isUnchanged = before !== null && rest.equals(Buffer.from(before, 'base64'));
  await writePlain(path, rest, own, isUnchanged ? { mode, modifiedAt: new Date(modified_at) } : { mode: found.mode });
}

function manifestOf(bytes: Buffer): Manifest {
  try {
    return Manifest.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new DispatchFailure(
      'integrity-failed',
      `.agora/${MANIFEST} was altered, so what an earlier dispatch laid into the workspace cannot be taken out. Look at it, then remove it.`,
    );
  }
}
