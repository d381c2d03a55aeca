const BYTEA = 17;

/**
 * An array of bytes in the binary form of PostgreSQL. As text, each byte would take two characters, and the driver
 * would copy and escape all of them.
 */
export function byteaArray(items: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(items.length === 0 ? 12 : 20);
  header.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  header.writeInt32BE(0, 4);
  header.writeInt32BE(BYTEA, 8);
  if (items.length === 0) return header;
  header.writeInt32BE(items.length, 12);
  header.writeInt32BE(1, 16);
  const parts: Uint8Array[] = [header];
  for (const item of items) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(item.length, 0);
    parts.push(length, item);
  }
  return Buffer.concat(parts);
}
