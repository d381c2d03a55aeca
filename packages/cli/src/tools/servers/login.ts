import { ToolFailure } from "@toolkeep/core";
import { expandEntry, type OAuthOptions, openBrowser, type ServerEntry } from "@toolkeep/mcp/internal";
import { CommandError, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Confirms and opens the login page of a server. */
export type LoginUser = Required<Pick<OAuthOptions, "confirm" | "open">>;

/** The user at the terminal, and the answer that the user gave. */
export interface TerminalLoginUser extends LoginUser {
  readonly answer: "none" | "yes" | "no";
}

export interface LoginConfirmation {
  /** The URL of the server. */
  readonly address: URL;
  /** Whether `--yes` was given. */
  readonly yes: boolean;
}

/** Shows the host of the login page, asks, and opens it. The URL is printed too: there may be no browser. */
export function terminalLoginUser(
  { address, yes }: LoginConfirmation,
  terminal: Terminal,
): TerminalLoginUser {
  let answer: TerminalLoginUser["answer"] = "none";
  return {
    get answer() {
      return answer;
    },
    async confirm(host, server) {
      terminal.note(`${server}, at ${address.host}, wants you to log in at ${host}.`);
      answer = yes || (await terminal.confirm(`Open a browser at ${host}?`)) ? "yes" : "no";
      return answer === "yes";
    },
    async open(page) {
      terminal.note(`If no browser opens, open this page on this machine:\n${page.href}`);
      try {
        await openBrowser(page);
      } catch (error) {
        // With --quiet the user has not seen the URL of the page.
        if (!ToolFailure.isInstance(error) || terminal.isQuiet) throw error;
        terminal.note(error.message);
      }
    },
  };
}

/** The URL that a login is stored under, which may contain secrets of the environment. @throws CommandError without one. */
export function loginAddress(entry: ServerEntry, project: string): URL {
  const expanded = expandEntry(entry, { environment: process.env, workspaceFolder: project });
  if (expanded.error !== undefined)
    throw new CommandError(`The URL of ${entry.name} is not known: ${expanded.error}.`);
  if (expanded.entry.kind === "http") return new URL(expanded.entry.url);
  throw usageError(
    `${entry.name} is a local program, which Toolkeep cannot log in to.`,
    "Set its credentials in `env` of its configuration.",
  );
}
