// Reads our OpenAPI document as tests need it: without references.
import type { z } from 'zod';

export type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** The same document with every reference replaced by what it refers to. */
export function dereferenced<T>(document: T): T {
  const known = new Map<string, unknown>();
  const resolve = (reference: string): unknown => {
    if (!known.has(reference)) {
      const path = reference.slice(2).split('/');
      known.set(reference, walk(path.reduce((at, key) => (at as Record<string, unknown>)[key], document as unknown)));
    }
    return known.get(reference);
  };
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, walk(inner)]));
    return $ref === undefined ? own : { ...(resolve($ref) as object), ...own };
  };
  return walk(document) as T;
}

/** Replies are open to fields of later versions; what this server sends today is documented, each field of it. */
export function closed(schema: JsonSchema): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const own = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
    const isOpen = own.type === 'object' && own.properties && own.additionalProperties === undefined;
    return isOpen ? { ...own, additionalProperties: false } : own;
  };
  return walk(schema) as JsonSchema;
}
