// The files that teach a program how to ask: laid into the workspace before it runs, taken out afterwards so that every
// byte is as it was. What is about to be laid is written down first, so that whoever comes after a crash can take it out.
// A file of the workspace's owner is never replaced; what the program itself changed meanwhile is kept.
import { hash } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { OverlayFile } from '../kit/runtime.ts';
import { DispatchFailure } from './dispatch-failure.ts';
import { kindOf, leadsInside, makeFolder, readPlain, writeWhole } from './files.ts';

const Laid = z.strictObject({
  path: z.string(),
  /** What was there before, in base 64; null when there was no such file. */
  before: z.base64().nullable(),
  mode: z.int(),
  modified_at: z.number(),
  /** What follows it. */
  added: z.string(),
  /** Of a file that is laid whole, whatever is in it: it is taken out as long as it is the same. */
  digest: z.string().optional(),
});
const Manifest = z.strictObject({ files: z.array(Laid).max(10_000), folders: z.array(z.string()).max(10_000) });
type Laid = z.infer<typeof Laid>;
type Manifest = z.infer<typeof Manifest>;

const MANIFEST = 'overlay.json';
const NEW_FILE = { mode: 0o644, modified_at: 0 };

/** Resolves to the paths that were left out because something else is in their place. */
export async function layOverlay(workspace: string, own: string, wanted: readonly OverlayFile[]): Promise<string[]> {
  const manifest: Manifest = { files: [], folders: [] };
  const left: string[] = [];
  for (const file of wanted) {
    const laid = await plan(workspace, file);
    if (!laid) left.push(file.path);
    else manifest.files.push(laid);
    if (laid) manifest.folders.push(...(await missingFolders(workspace, file.path, manifest.folders)));
  }
  if (manifest.files.length === 0) return left;
  await writeWhole(join(own, MANIFEST), JSON.stringify(manifest), own);
  for (const folder of manifest.folders) await makeFolder(join(workspace, folder));
  const whole = new Map(wanted.map(({ path, content }) => [path, content]));
  for (const file of manifest.files) {
    const bytes = whole.get(file.path);
    if (file.digest !== undefined && bytes instanceof Uint8Array) {
      await writeWhole(join(workspace, file.path), Buffer.from(bytes), own, {
        mode: file.mode,
        modifiedAt: new Date(),
      });
      continue;
    }
    const before = Buffer.from(file.before ?? '', 'base64');
    const like = file.before === null ? undefined : { mode: file.mode, modifiedAt: new Date(file.modified_at) };
    await writeWhole(join(workspace, file.path), Buffer.concat([before, Buffer.from(file.added)]), own, like);
  }
  return left;
}

async function plan(workspace: string, file: OverlayFile): Promise<Laid | undefined> {
  if (!(await leadsInside(workspace, file.path))) return undefined;
  const path = join(workspace, file.path);
  if (typeof file.content !== 'string')
    return (await kindOf(path)) === 'missing' ? laidWhole(file.path, file.content) : undefined;
  if ((await kindOf(path)) === 'missing') return { path: file.path, before: null, ...NEW_FILE, added: file.content };
  const found = file.beside ? await readPlain(path) : undefined;
  if (!found || found.bytes.includes(file.content)) return undefined;
  const gap = found.bytes.length === 0 || found.bytes.at(-1) === 0x0a ? '\n' : '\n\n';
  return {
    path: file.path,
    before: found.bytes.toString('base64'),
    mode: found.mode,
    modified_at: found.modifiedAt.getTime(),
    added: gap + file.content,
  };
}

/** A script may be run. */
function laidWhole(path: string, bytes: Uint8Array): Laid {
  const isScript = bytes[0] === 0x23 && bytes[1] === 0x21;
  return { path, before: null, mode: isScript ? 0o755 : 0o644, modified_at: 0, added: '', digest: digestOf(bytes) };
}

const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

async function missingFolders(workspace: string, path: string, known: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (!known.includes(folder) && (await kindOf(join(workspace, folder))) === 'missing') missing.unshift(folder);
  return missing;
}

/** Does nothing when nothing was laid, or all of it was taken out before. */
export async function takeOutOverlay(workspace: string, own: string): Promise<void> {
  const found = await readPlain(join(own, MANIFEST));
  if (!found) return;
  const { files, folders } = manifestOf(found.bytes);
  for (const file of files)
    if (await leadsInside(workspace, file.path)) await takeOut(join(workspace, file.path), own, file);
  for (const folder of folders.toReversed())
    if (await leadsInside(workspace, `${folder}/x`)) await rmdir(join(workspace, folder)).catch(() => {});
  await rm(join(own, MANIFEST), { force: true });
}

async function takeOut(path: string, own: string, { before, mode, modified_at, added, digest }: Laid): Promise<void> {
  const found = await readPlain(path);
  if (!found) return;
  if (digest !== undefined) return digestOf(found.bytes) === digest ? rm(path, { force: true }) : undefined;
  const original = Buffer.from(before ?? '', 'base64');
  const at = found.bytes.indexOf(added);
  if (at < 0) return;
  const rest = Buffer.concat([found.bytes.subarray(0, at), found.bytes.subarray(at + Buffer.byteLength(added))]);
  if (before === null && rest.length === 0) return rm(path, { force: true });
  const isUntouched = rest.equals(original) && before !== null;
  const like = isUntouched ? { mode, modifiedAt: new Date(modified_at) } : { mode: found.mode, modifiedAt: new Date() };
  await writeWhole(path, rest, own, like);
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
