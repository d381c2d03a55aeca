/** Whether a host name is this machine, in any spelling. What only looks like it, such as `127.0.0.1.example`, is not. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackAddress(`http://${host}/`);
}

/** The same for an address as requesting programs take it: with or without a scheme, a port and a path. */
export function isLoopbackAddress(address: string): boolean {
  // Programs differ in what they take for the host where these stand.
  if (/[@\\\s]/.test(address)) return false;
  const hostname = URL.parse(SCHEME.test(address) ? address : `http://${address}`)?.hostname;
  return hostname !== undefined && LOOPBACK.test(hostname.replace(/\.$/, ""));
}

const SCHEME = /^(?:https?|wss?):\/\//i;
/** As a URL normalizes it: `127.1`, `0x7f000001` and `[0:0:0:0:0:0:0:1]` are among them. A program reaches itself at `0.0.0.0`. */
const LOOPBACK =
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;
