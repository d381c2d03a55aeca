const HOST = /^[a-z0-9_.*-]{1,253}$/;
const ADDRESS = /^\[[0-9a-f:.]+\]$/;

/**
 * A host as rules know it: lower case, without port and trailing dot. `undefined` for anything that
 * is more than a host (an address with user, path or scheme) or written in letters that only look it.
 */
export function canonicalHost(target: string): string | undefined {
  const lower = target.toLowerCase().replace(/:\d{1,5}$/, "");
  const host = lower.endsWith(".") ? lower.slice(0, -1) : lower;
  return HOST.test(host) || ADDRESS.test(host) ? host : undefined;
}
