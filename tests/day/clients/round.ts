import { readlinkSync } from "node:fs";
import { openShop, type Shop } from "../hook/shop.ts";
import type { RealClient, Setup } from "./real-client.ts";

/** What is played in one round. */
export interface Round {
  readonly client: RealClient;
  /** The program of the client. */
  readonly program: string;
  readonly mode: string;
  readonly setup: Setup;
}

export function nameOf({ client, mode, setup }: Round): string {
  return `${client.name} ${client.package.version}, ${mode}, ${setup}`;
}

/** Where homes are made, in the jail. */
const FOLDER = "/home/day";

/** What the tests of the project print, so that it is seen whether they ran in a sandbox. */
const NAMESPACE = "/proc/self/ns/mnt";

const TEST_FILE = `import { readlinkSync } from "node:fs";
import { total } from "../src/cart.js";
total([]);
console.log("files of", readlinkSync("${NAMESPACE}"));
`;

/** A home with a project, and Toolkeep in it unless the client is alone. */
export async function openRound({ client, setup }: Round): Promise<Shop> {
  const shop = await openShop(client.name, {
    folder: FOLDER,
    files: { "test/cart.test.js": TEST_FILE },
    isForeign: setup === "alone",
    flags: setup === "confined" ? ["--confine"] : [],
  });
  client.arrange?.(shop, setup);
  return shop;
}

/** Where the tests ran whose output this is; `undefined` if they did not. */
export function placeOfTests(output: string): "sandbox" | "machine" | undefined {
  const [, namespace] = /files of (mnt:\[\d+\])/.exec(output) ?? [];
  if (namespace === undefined) return undefined;
  return namespace === readlinkSync(NAMESPACE) ? "machine" : "sandbox";
}
