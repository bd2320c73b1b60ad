// Reads and writes D-Bus messages (little endian), as far as strings, numbers and lists of strings go. What follows those in
// a body is not read.

export type Values = (string | number | string[])[];

interface Head {
  /** 1 call, 2 reply, 3 error, 4 signal. */
  type: number;
  path?: string;
  interface?: string;
  member?: string;
  error?: string;
  replySerial?: number;
  destination?: string;
  sender?: string;
  signature: string;
}

export interface DbusMessage extends Head {
  serial: number;
  values: Values;
}

/** By the numbers of the header's fields. */
const FIELDS = [
  [1, 'path', 'o'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'error', 's'],
  [5, 'replySerial', 'u'],
  [6, 'destination', 's'],
  [7, 'sender', 's'],
  [8, 'signature', 'g'],
] as const;

const padding = (length: number, to: number): number => (to - (length % to)) % to;

class Writer {
  bytes = Buffer.alloc(0);

  align(to: number): this {
    return this.raw(Buffer.alloc(padding(this.bytes.length, to)));
  }
  raw(more: Buffer): this {
    this.bytes = Buffer.concat([this.bytes, more]);
    return this;
  }
  byte(value: number): this {
    return this.raw(Buffer.of(value));
  }
  number(value: number): this {
    const four = Buffer.alloc(4);
    four.writeUInt32LE(value);
    return this.align(4).raw(four);
  }
  text(value: string): this {
    return this.number(Buffer.byteLength(value)).raw(Buffer.from(`${value}\0`));
  }
  signature(value: string): this {
    return this.byte(value.length).raw(Buffer.from(`${value}\0`));
  }
  list(values: readonly string[]): this {
    const at = this.number(0).bytes.length;
    for (const value of values) this.text(value);
    this.bytes.writeUInt32LE(this.bytes.length - at, at - 4);
    return this;
  }
}

let serial = 0;

export function dbusMessage(head: Head, values: Values): Buffer {
  const body = new Writer();
  for (const value of values)
    if (typeof value === 'number') body.number(value);
    else if (typeof value === 'string') body.text(value);
    else body.list(value);
  const fields = new Writer();
  for (const [code, name, kind] of FIELDS) {
    const value = head[name];
    if (value === undefined || value === '') continue;
    fields.align(8).byte(code).signature(kind);
    if (kind === 'u') fields.number(Number(value));
    else if (kind === 'g') fields.signature(String(value));
    else fields.text(String(value));
  }
  return new Writer()
    .raw(Buffer.from('l'))
    .byte(head.type)
    .byte(1)
    .byte(1)
    .number(body.bytes.length)
    .number(++serial)
    .number(fields.bytes.length)
    .raw(fields.bytes)
    .align(8)
    .raw(body.bytes).bytes;
}

export function messagesIn(bytes: Buffer): { messages: DbusMessage[]; left: Buffer } {
  const messages: DbusMessage[] = [];
  let left = bytes;
  while (left.length >= 16) {
    const headLength = 16 + left.readUInt32LE(12);
    const bodyAt = headLength + padding(headLength, 8);
    const end = bodyAt + left.readUInt32LE(4);
    if (left.length < end) break;
    messages.push(parsed(left.subarray(0, headLength), left.subarray(bodyAt, end)));
    left = left.subarray(end);
  }
  return { messages, left };
}

class Reader {
  readonly bytes: Buffer;
  at: number;
  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  align(to: number): void {
    this.at += padding(this.at, to);
  }
  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }
  number(): number {
    this.align(4);
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }
  text(length = this.number()): string {
    this.at += length + 1;
    return this.bytes.toString('utf8', this.at - length - 1, this.at - 1);
  }
  list(): string[] {
    const end = this.number() + this.at;
    const values: string[] = [];
    while (this.at < end) values.push(this.text());
    return values;
  }
}

function parsed(head: Buffer, body: Buffer): DbusMessage {
  const message: Record<string, unknown> = { type: head[1], serial: head.readUInt32LE(8), signature: '' };
  const fields = new Reader(head, 16);
  while (fields.at < head.length) {
    fields.align(8);
    const code = fields.byte();
    const kind = fields.text(fields.byte());
    const value = kind === 'u' ? fields.number() : kind === 'g' ? fields.text(fields.byte()) : fields.text();
    const name = FIELDS.find(([number]) => number === code)?.[1];
    if (name) message[name] = value;
  }
  return { ...(message as unknown as DbusMessage), values: valuesOf(String(message.signature), new Reader(body)) };
}

function valuesOf(signature: string, body: Reader): Values {
  const values: Values = [];
  for (const kind of signature.match(/as|[sou]|./g) ?? []) {
    if (kind === 'as') values.push(body.list());
    else if (kind === 's' || kind === 'o') values.push(body.text());
    else if (kind === 'u') values.push(body.number());
    else break;
  }
  return values;
}
