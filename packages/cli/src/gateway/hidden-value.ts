const REFERENCE = /\$\{[^{}]{1,200}\}/g;
const DEFAULT = /\$\{[^{}:]{1,200}:-([^{}]{0,2000})\}/g;
const ADDRESS = /[a-z][a-z0-9+.-]{1,20}:[\\/]{2}[^\s"'`<>|,;]{1,2000}/gi;
/** Of such a name, the value is a host where it looks like one. */
const HOST_NAME = /HOST|ADDR|ENDPOINT|SERVER|PROXY|DOMAIN|BASE|UR[IL]/i;
const HOST = /^(?:[a-z0-9_-]{1,63}\.){1,8}[a-z0-9-]{1,63}\.?(?::\d{1,5})?$/i;

/**
 * What may be shown of a value that may be secret: which of the user's own values go there, since a project may ask for
 * any of them, and where traffic goes, by scheme and host alone.
 */
export function hiddenValue(value: string, name = ""): string {
  const references = [...value.matchAll(REFERENCE)].map(([found]) => found.replace(/:-.*/s, ":-…}"));
  return ["…", ...hostsIn(value.replaceAll(DEFAULT, "$1"), name), ...references].join(" ");
}

/** By the looks of the value, and never what stands before or behind the host: that is where secrets are. */
function hostsIn(value: string, name: string): ReadonlySet<string> {
  const whole = value.trim();
  const found = [whole, ...[...value.matchAll(ADDRESS)].map(([address]) => address)].flatMap(schemeAndHost);
  return new Set(found.length === 0 && HOST_NAME.test(name) && HOST.test(whole) ? [whole] : found);
}

function schemeAndHost(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null || url.hostname === "") return [];
  // Another `@` may be that of a password with a slash in it; then the port may be a part of it, too.
  const isClear = !(url.pathname + url.search + url.hash).includes("@");
  return [`${url.protocol}//${isClear ? url.host : url.hostname}`];
}
