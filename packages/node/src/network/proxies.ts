import { invalidOption } from "@toolkeep/core/internal";
import type { NetworkSettings } from "./network-settings.ts";

/** The addresses of proxies; an empty text is none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached without them, in the manner of `NO_PROXY`. */
  readonly except: string;
}

/** @throws ToolkeepError `invalid_option` for an invalid proxy. */
export function readProxies(proxy: NetworkSettings["proxy"]): Proxies {
  const named = proxy === "environment" ? fromEnvironment(process.env) : proxy;
  const proxies = { http: "", https: "", except: "", ...named };
  for (const address of [proxies.http, proxies.https]) {
    const protocol = URL.canParse(address) ? new URL(address).protocol : "";
    // The address is not shown, because it may contain a password.
    if (address !== "" && protocol !== "http:" && protocol !== "https:")
      throw invalidOption("A proxy is the address of an http or https server.");
  }
  return proxies;
}

function fromEnvironment(env: NodeJS.ProcessEnv): Proxies {
  return {
    http: env["http_proxy"] ?? env["HTTP_PROXY"] ?? "",
    https: env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "",
    except: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
  };
}
