/** Where the proxy is reached from within a sandbox: a port of its own loopback, above those that are given out. */
export const PROXY_PORT = 61_128;
/** Where the folder of the proxy is in a sandbox. */
export const PROXY_FOLDER = "/run/toolkeep-proxy";

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** What makes programs use the proxy, but for servers in the sandbox, unless those of the machine are permitted. */
export function proxyEnvironment(hosts: readonly string[]): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  const named = new Set(hosts.map((host) => host.replaceAll(/[[\]]/g, "")));
  const except = LOOPBACK.some((host) => named.has(host)) ? "" : LOOPBACK.join(",");
  return {
    ...Object.fromEntries(PROXY_NAMES.map((name) => [name, proxy])),
    ...Object.fromEntries(EXCEPT_NAMES.map((name) => [name, except])),
    npm_config_userconfig: `${PROXY_FOLDER}/npmrc`,
    // Node itself uses a proxy only if it is told to.
    NODE_USE_ENV_PROXY: "1",
  };
}

const PROXY_NAMES = [
  ...["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
  ...["npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"],
];
const EXCEPT_NAMES = ["no_proxy", "NO_PROXY", "npm_config_noproxy"];
