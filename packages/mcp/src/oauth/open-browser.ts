import { spawn } from "node:child_process";
import { once } from "node:events";
import { ToolFailure } from "@toolkeep/core";

/** What opens a page, by platform. Never a shell: the address comes from a server that nobody knows. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  linux: ["xdg-open"],
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens a page in the person's browser. The page must have been checked.
 * @throws ToolFailure `denied` where that cannot be done.
 */
export async function openBrowser(page: URL): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, page.href], { stdio: "ignore", detached: true, shell: false });
  try {
    await once(child, "spawn");
    child.unref();
  } catch (error) {
    throw new ToolFailure("denied", `No browser could be opened for the login: ${program} did not start.`, {
      hint: "Log in on a machine that has a browser.",
      cause: error,
    });
  }
}
