import type { RequestListener } from "node:http";
import type { ToolFailure } from "@toolkeep/core";
import type { Grant, NetworkRequest, NetworkResponse } from "@toolkeep/core/ports";
import { guardedNetwork } from "../guarded-network.ts";
import type { NetworkSettings } from "../network-settings.ts";
import { failureOf, textOf } from "./failure-of.test.kit.ts";
import { type LoopbackServer, openServer } from "./loopback-server.test.kit.ts";
import { type GrantedRun, withGrant } from "./with-grant.test.kit.ts";

interface Fetched extends NetworkResponse {
  readonly text: string;
}

/** A server with two permitted names, `one.test` and `two.test`, and calls that may reach any host. */
export interface Stage {
  readonly server: LoopbackServer;
  readonly settings: NetworkSettings;
  readonly origin: string;
  readonly elsewhere: string;
  /** Fetches in a call of its own, to the end of the body. */
  fetch(request: Partial<NetworkRequest> & { path?: string }, more?: NetworkSettings): Promise<Fetched>;
  refusal(request: Partial<NetworkRequest> & { path?: string }, more?: NetworkSettings): Promise<ToolFailure>;
  /** Several things in one call. */
  within<Value>(use: (grant: Grant) => Promise<Value>): Promise<GrantedRun<Value>>;
}

export async function openStage(answer: RequestListener): Promise<Stage> {
  const server = await openServer(answer);
  const settings: NetworkSettings = {
    privateHosts: [`one.test:${server.port}`, `two.test:${server.port}`],
    resolve: async () => ["127.0.0.1"],
  };
  const origin = `http://one.test:${server.port}`;
  const within: Stage["within"] = (use) => withGrant({ net: { hosts: ["*"] } }, use);
  const fetch: Stage["fetch"] = async ({ path = "/", ...request }, more = {}) => {
    const { value } = await within(async (grant) => {
      const network = guardedNetwork(grant, { ...settings, ...more });
      const response = await network.fetch({ url: `${origin}${path}`, ...request });
      return { ...response, text: await textOf(response.body) };
    });
    return value;
  };
  return {
    server,
    settings,
    origin,
    elsewhere: `http://two.test:${server.port}`,
    fetch,
    refusal: (request, more) => failureOf(fetch(request, more)),
    within,
  };
}
