// Reads what one line of JSON-RPC is, and under which id, from its text: a number of any size keeps its digits, and a line that
// two readers could take for different messages is told apart from one that is clear. Pure.
import { parsedJson } from '../wire/json-rpc.ts';

/** `key`: equal for equal ids; a number and a text differ. `idText`: the id as it was written. */
export interface Envelope {
  kind: 'request' | 'response' | 'other';
  key: string;
  idText: string;
}

/** Undefined for a batch, a member given twice, and what is neither a call nor a response. */
export function envelopeOf(line: string): Envelope | undefined {
  const members = membersOf(line);
  if (!members) return undefined;
  const isGiven = (name: string) => (members.get(name) ?? 'null') !== 'null';
  const [isCall, isError] = [isGiven('method'), isGiven('error')];
  const isResult = isGiven('result') || (members.has('result') && !isCall && !isError);
  if ([isCall, isError, isResult].filter(Boolean).length !== 1) return undefined;
  const idText = members.get('id') ?? 'null';
  const key = keyOf(idText);
  if (key === undefined) return undefined;
  return { kind: key === 'null' ? 'other' : isCall ? 'request' : 'response', key, idText };
}

/** The key of the id that `params.requestId` names. */
export const requestKeyOf = (line: string): string | undefined =>
  keyOf(membersOf(membersOf(line)?.get('params') ?? '')?.get('requestid') ?? 'null');

function keyOf(idText: string): string | undefined {
  if (/^-?\d+$/.test(idText)) return String(BigInt(idText));
  const id = JSON.parse(idText) as unknown;
  return id === null || typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : undefined;
}

/** The texts of the values of an object, by their names in small letters, which some readers do not tell apart. */
function membersOf(text: string): Map<string, string> | undefined {
  const parsed = parsedJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const members = new Map<string, string>();
  let [depth, start, name] = [0, 0, ''];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') {
      const from = at;
      at = endOfString(text, at);
      if (depth === 1 && name === '') {
        name = `.${(JSON.parse(text.slice(from, at + 1)) as string).toLowerCase()}`;
        start = text.indexOf(':', at) + 1;
      }
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === ',' || char === '}' || char === ']') {
      if (depth === 1 && name !== '') {
        if (members.has(name.slice(1))) return undefined;
        members.set(name.slice(1), text.slice(start, at).trim());
        name = '';
      }
      if (char !== ',') depth -= 1;
    }
  }
  return members;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
}
