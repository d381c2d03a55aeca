import { isDeepStrictEqual } from "node:util";
import { changeState, readState, type StandingGrant } from "@toolkeep/node/internal";
import { containList } from "./state-list.ts";

const HOST_AND_PORT = /^((?:[\w-]+\.)*[\w-]+|\[[\da-f:.]+\]):(\d{1,5})$/i;

/** `undefined` for a text that is not one host with one port. */
export function hostAndPort(text: string): Pick<StandingGrant, "host" | "port"> | undefined {
  const [, host = "", digits = ""] = HOST_AND_PORT.exec(text) ?? [];
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host: host.toLowerCase(), port } : undefined;
}

type KeptGrant = StandingGrant & { readonly project: string };

const grantList = () => containList<KeptGrant>("grants.json", "grants");

/** What contained commands of a project reach without a question. */
export async function standingGrants(project: string): Promise<readonly StandingGrant[]> {
  const grants = (await readState(grantList())).filter((one) => one.project === project);
  return grants.map(({ project: _, ...grant }) => grant);
}

/** Takes effect with the next command. */
export async function setGranted(project: string, grant: StandingGrant, isGranted: boolean): Promise<void> {
  const own = { project, ...grant };
  await changeState(grantList(), (all) => {
    const others = all.filter((one) => !isDeepStrictEqual(one, own));
    return isGranted ? [...others, own] : others;
  });
}
