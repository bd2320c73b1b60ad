// Picks the fields that a person named out of a JSON result; a dot reaches inside, and into every element of a list. A name that
// no element has is refused with the names there are: a misspelt field must not look like an empty one.
import { Failure } from '../failure.ts';

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

export const fieldNames = (text: string): string[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.every(Boolean)) return names;
  throw new Failure('usage', '--fields takes names separated by commas, such as session_id,request.id');
};

/** Before there is a result: refuses a name that no result will have. */
export function requireFields(names: readonly string[], possible: readonly string[]): void {
  for (const name of names) if (!possible.includes(topOf(name))) throw noField(name, possible);
}

/** A result may lack a field that is `possible` in others: it is left out. */
export function pickFields(value: unknown, names: readonly string[], possible: readonly string[] = []): unknown {
  const items = Array.isArray(value) ? value : [value];
  for (const name of names) {
    if (possible.includes(topOf(name))) continue;
    if (items.length > 0 && !items.some((item) => fieldOf(item, name) !== undefined)) throw unknownField(items, name);
  }
  const picked = items.map((item) => Object.fromEntries(names.map((name) => [name, fieldOf(item, name)])));
  return Array.isArray(value) ? picked : picked[0];
}

const topOf = (name: string): string => name.split('.', 1)[0] ?? name;

function fieldOf(item: unknown, name: string): unknown {
  let at = item;
  for (const part of name.split('.')) {
    if (Array.isArray(at) && !/^\d+$/.test(part)) at = at.map((one: unknown) => fieldOf(one, part));
    else at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  }
  return at;
}

/** Optional fields are absent where they say nothing, so the names of all elements count. */
function unknownField(items: readonly unknown[], name: string): Failure {
  const above = name.split('.').slice(0, -1).join('.');
  const holders = items.flatMap((item) => (above === '' ? item : fieldOf(item, above)));
  const known = [...new Set(holders.filter(isObject).flatMap(Object.keys))].map((key) =>
    above ? `${above}.${key}` : key,
  );
  return noField(name, known);
}

const noField = (name: string, known: readonly string[]): Failure =>
  new Failure('usage', `there is no field "${name}" here; there are: ${known.toSorted().join(', ') || 'none'}`);
