const BYTEA = 17;
const NUMBER = 4;

/**
 * An array of bytes in the binary form of PostgreSQL. As text, each byte would take two characters, and the driver
 * would copy and escape all of them. An empty list is NULL.
 */
export function byteaArray(items: readonly Uint8Array[]): Buffer | null {
  if (items.length === 0) return null;
  // Dimensions, whether there are NULLs, the type of the elements, how many there are, and where they begin.
  const header = [1, 0, BYTEA, items.length, 1];
  const length = items.reduce((sum, item) => sum + NUMBER + item.length, header.length * NUMBER);
  const array = Buffer.allocUnsafe(length);
  let at = 0;
  for (const number of header) at = array.writeInt32BE(number, at);
  for (const item of items) {
    at = array.writeInt32BE(item.length, at);
    array.set(item, at);
    at += item.length;
  }
  return array;
}
