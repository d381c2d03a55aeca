import { spawn } from "node:child_process";
import { once } from "node:events";
import { ToolFailure } from "@toolkeep/core";

/** The program that opens a page, by platform. Never a shell: the address comes from an untrusted server. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  linux: ["xdg-open"],
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens a page in the user's browser. The page must have been checked.
 * @throws ToolFailure `denied` if that fails.
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
