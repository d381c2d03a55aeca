import type { Config } from "@toolkeep/node/internal";

/** What tools and confined commands may reach, as the configuration says. */
export function networkSettings({ network }: Pick<Config, "network">) {
  const { privateHosts, proxy } = network;
  return {
    ...(privateHosts === undefined ? {} : { privateHosts }),
    ...(proxy === "environment" ? { proxy } : {}),
  };
}
