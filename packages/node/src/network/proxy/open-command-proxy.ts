import type { CommandProxy, CommandProxyOptions } from "./command-proxy.ts";

/** A proxy for one command. It is loaded here: most processes never run a command that has hosts. */
export async function openCommandProxy(options: CommandProxyOptions): Promise<CommandProxy> {
  const loaded = await import("./command-proxy.ts");
  return new loaded.CommandProxy(options);
}
