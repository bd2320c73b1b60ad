// Translates the options and the header of an agent's question into those of an ask, which refuses duplicates and long
// headers. Pure.
import { storable, truncate } from '../../core/text-limit.ts';

const MAX_OPTIONS = 50;
const HEADER_CHARACTERS = 200;

interface Offered {
  label: string;
  description?: string | null | undefined;
}

export const headerOf = (header: string | null | undefined): { header?: string } =>
  header ? { header: truncate(storable(header), HEADER_CHARACTERS) } : {};

/** Without duplicates. Undefined if there are none. */
export function optionsOf(options: readonly Offered[] | null | undefined) {
  if (!options?.length) return undefined;
  const seen = new Set<string>();
  const distinct = options.filter(({ label }) => {
    const key = label.trim().toLowerCase();
    const isNew = key !== '' && !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return distinct.slice(0, MAX_OPTIONS).map(({ label, description }) => ({
    label,
    ...(description && { description }),
    ...(/\(recommended\)\s*$/i.test(label) && { recommended: true }),
  }));
}
