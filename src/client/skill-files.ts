// Unpacks a published skill into its files. The server judged the zip when it was published; the digest proves that
// this is the same zip, and a path that leads outside is not unpacked.
import { hash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { DEFAULT_NAMESPACE, isMacMetadata, UNPACKED_BYTES } from '../core/skill.ts';
import type { Calls } from './client.ts';

export interface SkillFile {
  /** Inside the skill's folder, with forward slashes. */
  path: string;
  bytes: Uint8Array;
}

export interface SkillFiles {
  name: string;
  files: SkillFile[];
}

/** `name`, or `namespace/name`. */
export async function fetchSkill(calls: Pick<Calls, 'skills'>, wanted: string): Promise<SkillFiles> {
  const [name = '', namespace = DEFAULT_NAMESPACE] = wanted.split('/').reverse();
  const { items } = await calls.skills.list({ name, namespace, exact_match: true });
  const [skill] = items;
  if (!skill) throw new Error(`There is no skill "${name}" in namespace "${namespace}".`);
  const zip = await calls.skills.download(skill.id);
  if (hash('sha256', zip, 'hex') !== skill.sha256)
    throw new Error(`The zip of skill "${name}" is not the published one.`);
  return { name, files: unpacked(zip) };
}

function unpacked(zip: Uint8Array): SkillFile[] {
  let size = 0;
  const entries = unzipSync(zip, {
    filter({ name, originalSize }) {
      if (isMacMetadata(name)) return false;
      size += originalSize;
      if (size > UNPACKED_BYTES) throw new Error('A skill has too many bytes when unpacked.');
      return !name.endsWith('/');
    },
  });
  return Object.entries(entries).map(([path, bytes]) => {
    const parts = path.split('/').slice(1);
    const leadsAway = parts.length === 0 || parts.some((part) => part === '' || part === '..' || /[\\\0]/.test(part));
    if (leadsAway) throw new Error(`A skill has a file at ${JSON.stringify(path)}, which is not inside its folder.`);
    return { path: parts.join('/'), bytes };
  });
}
