// Edits JSON text in place: inserts or removes a member or an element in the style of the surrounding text and leaves every
// other byte unchanged. Pure. A path that does not exist is an error.
import { applyEdits, findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';

export type { JSONPath };

/** Appends a member or an element. `key` only where the container is an object. */
export function putIn(text: string, path: JSONPath, key: string | undefined, value: unknown): string {
  const container = nodeAt(text, path);
  const last = container.children?.at(-1);
  const label = key === undefined ? '' : `${JSON.stringify(key)}:`;
  if (last && !text.trim().includes('\n')) return edited(text, end(last), 0, `,${label}${JSON.stringify(value)}`);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([\t ]+)\S/.exec(text)?.[1] ?? '  ';
  const outer = indentOf(text, container.offset);
  const indent = last && isFirstOfLine(text, last.offset) ? indentOf(text, last.offset) : outer + unit;
  const written = JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent);
  const item = `${eol}${indent}${label && `${label} `}${written}`;
  if (last) return edited(text, end(last), 0, `,${item}`);
  const isOpen = text.slice(container.offset, end(container)).includes('\n');
  return edited(text, container.offset + 1, 0, isOpen ? item : `${item}${eol}${outer}`);
}

/** Removes a member or an element with its comma; `blank` is the white space that an empty container keeps. */
export function takeOut(text: string, path: JSONPath, blank = ''): string {
  const node = nodeAt(text, path);
  const item = node.parent?.type === 'property' ? node.parent : node;
  const container = item.parent as Node;
  const items = container.children ?? [];
  const at = items.indexOf(item);
  const before = items[at - 1];
  const after = items[at + 1];
  if (before) return edited(text, end(before), end(item) - end(before));
  if (after) return edited(text, item.offset, after.offset - item.offset);
  return edited(text, container.offset + 1, container.length - 2, blank);
}

/** The white space in an empty container; an empty text where it is not empty or does not exist. */
export function blankIn(text: string, path: JSONPath): string {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  return node?.children?.length === 0 ? text.slice(node.offset + 1, end(node) - 1) : '';
}

export function replaced(text: string, path: JSONPath, value: unknown): string {
  const { offset, length } = nodeAt(text, path);
  return edited(text, offset, length, JSON.stringify(value));
}

/** The duplicate keys of the object at this path; JSON parsers disagree on which of them counts. */
export function namedTwice(text: string, path: JSONPath): string[] {
  const names = (nodeAt(text, path).children ?? []).map((property) => String(property.children?.[0]?.value));
  return names.filter((name, i) => names.indexOf(name) !== i);
}

function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`there is nothing at ${path.join('.')}`);
  return node;
}

const end = ({ offset, length }: Node): number => offset + length;
const edited = (text: string, offset: number, length: number, content = ''): string =>
  applyEdits(text, [{ offset, length, content }]);
const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
const indentOf = (text: string, offset: number): string =>
  /^[\t ]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
const isFirstOfLine = (text: string, offset: number): boolean =>
  text.slice(lineStart(text, offset), offset).trim() === '';
