// Sets by key: who waits for what. A key is there only as long as its set has something in it.

export function add<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

export function drop<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  set?.delete(value);
  if (set?.size === 0) map.delete(key);
}
