import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { containFolder, type StandingGrant } from "@toolkeep/node/internal";
import { changeList, listed } from "./state-list.ts";

const HOST_AND_PORT = /^((?:[\w-]+\.)*[\w-]+|\[[\da-f:.]+\]):(\d{1,5})$/i;

/** `undefined` for a text that is not one host with one port. */
export function hostAndPort(text: string): Pick<StandingGrant, "host" | "port"> | undefined {
  const [, host = "", digits = ""] = HOST_AND_PORT.exec(text) ?? [];
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host: host.toLowerCase(), port } : undefined;
}

type KeptGrant = StandingGrant & { readonly project: string };

const grantList = () => ({ file: join(containFolder(), "grants.json"), key: "grants" });

/** What contained commands of a project reach without a question. */
export async function standingGrants(project: string): Promise<readonly StandingGrant[]> {
  const grants = (await listed<KeptGrant>(grantList())).filter((one) => one.project === project);
  return grants.map(({ project: _, ...grant }) => grant);
}

/** Takes effect with the next command. */
export function setGranted(project: string, grant: StandingGrant, isGranted: boolean): Promise<void> {
  const own = { project, ...grant };
  return changeList<KeptGrant>(grantList(), (all) => {
    const others = all.filter((one) => !isDeepStrictEqual(one, own));
    return isGranted ? [...others, own] : others;
  });
}
