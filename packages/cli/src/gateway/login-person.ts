import { ToolFailure } from "@toolkeep/core";
import { openBrowser } from "@toolkeep/mcp";
import type { Terminal } from "../terminal/terminal.ts";
import type { LoginPerson } from "./connect-as.ts";

/** Whoever sits at the terminal, and what became of being asked. */
export interface AskedPerson extends LoginPerson {
  readonly said: "nothing" | "yes" | "no";
}

export interface LoginConsent {
  /** Where the server is. */
  readonly address: URL;
  /** Whether the person said yes beforehand. */
  readonly yes: boolean;
}

/** Shows where the browser would go, asks, and opens it. The page is told as well: not every machine has a browser. */
export function loginPerson({ address, yes }: LoginConsent, terminal: Terminal): AskedPerson {
  let said: AskedPerson["said"] = "nothing";
  return {
    get said() {
      return said;
    },
    async confirm(host, server) {
      terminal.note(`${server}, at ${address.host}, wants you to log in at ${host}.`);
      said = yes || (await terminal.confirm(`Open a browser at ${host}?`)) ? "yes" : "no";
      return said === "yes";
    },
    async open(page) {
      terminal.note(`If no browser opens on this machine, open this page here yourself:\n${page.href}`);
      try {
        await openBrowser(page);
      } catch (error) {
        // Nobody was told of the page, so nobody would come.
        if (!ToolFailure.isInstance(error) || terminal.isQuiet) throw error;
        terminal.note(error.message);
      }
    },
  };
}
