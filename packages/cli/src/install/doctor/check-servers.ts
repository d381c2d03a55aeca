import { outsideGateway } from "../outside-gateway.ts";
import { userServerNotes } from "../user-servers.ts";
import { type Finding, gap, note } from "./finding.ts";

const ABOUT = "servers";

/** Servers that a client starts without the gateway. Starts none. */
export async function checkServers(project: string): Promise<readonly Finding[]> {
  const outside = (await outsideGateway(project)).map((text) => {
    const [, message = text, fix = "toolkeep servers"] = /^(.*) Run `([^`]+)` again\.$/.exec(text) ?? [];
    return gap({ code: "server_outside", about: ABOUT, who: "you", message, fix });
  });
  const ofUser = (await userServerNotes(project)).map((text) => {
    const [, message = text, fix = ""] = /^(.*?\.) (For a project alone, .*)$/.exec(text) ?? [];
    return note({ code: "server_of_user", about: ABOUT, who: "you", message, fix });
  });
  return [...outside, ...ofUser] satisfies readonly Finding[];
}
