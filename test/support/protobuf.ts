// Writes the fields of protocol buffers, as far as a test's stand-in for a service needs them.

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.of(...bytes, rest);
}

export const numberField = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)]);

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(field * 8 + 1), bytes]);
}

export function bytesField(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}
