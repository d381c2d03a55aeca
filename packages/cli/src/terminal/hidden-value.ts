const REFERENCE = /\$\{[^{}]{1,200}\}/g;
const DEFAULT = /\$\{[^{}:]{1,200}:-([^{}]{0,2000})\}/g;
const ADDRESS = /[a-z][a-z0-9+.-]{1,20}:[\\/]{2}[^\s"'`<>|,;]{1,2000}/gi;
/** Under such a name, a value that looks like a host is a host. */
const HOST_NAME = /HOST|ADDR|ENDPOINT|SERVER|PROXY|DOMAIN|BASE|UR[IL]/i;
const HOST = /^(?:[a-z0-9_-]{1,63}\.){1,8}[a-z0-9-]{1,63}\.?(?::\d{1,5})?$/i;

/** What may be shown of a possible secret: references to the user's variables, and the scheme and host of URLs. */
export function hiddenValue(value: string, name = ""): string {
  const references = [...value.matchAll(REFERENCE)].map(([found]) => found.replace(/:-.*/s, ":-…}"));
  return ["…", ...hostsIn(value.replaceAll(DEFAULT, "$1"), name), ...references].join(" ");
}

/** Never includes the parts before or after the host, which may be secret. */
function hostsIn(value: string, name: string): ReadonlySet<string> {
  const whole = value.trim();
  const found = [whole, ...[...value.matchAll(ADDRESS)].map(([address]) => address)].flatMap(schemeAndHost);
  return new Set(found.length === 0 && HOST_NAME.test(name) && HOST.test(whole) ? [whole] : found);
}

function schemeAndHost(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null || url.hostname === "") return [];
  // A second `@` means that the password may contain a slash, and then the port may be part of the password.
  const isClear = !(url.pathname + url.search + url.hash).includes("@");
  return [`${url.protocol}//${isClear ? url.host : url.hostname}`];
}
