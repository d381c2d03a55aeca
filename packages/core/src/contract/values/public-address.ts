/**
 * Whether an address names a machine of the public internet. Addresses in numbers, this machine, names of a network of
 * its own and what carries credentials are none: services there give away secrets, or take orders.
 */
export function isPublicAddress(address: string): boolean {
  if (/[@\\\s]/.test(address)) return false;
  const host = URL.parse(SCHEME.test(address) ? address : `http://${address}`)?.hostname.replace(/\.$/, "");
  return host !== undefined && NAME.test(host) && !PRIVATE.test(host) && !NUMBERS.test(host);
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
const NAME = /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/;
const PRIVATE =
  /\.(?:local|localhost|localdomain|internal|intranet|lan|home|corp|private|test|invalid|arpa)$/;
/** A service may resolve a name with an address in it to that address. */
const NUMBERS = /(?:^|[.-])\d{1,3}(?:[.-]\d{1,3}){3}(?:[.-]|$)/;
