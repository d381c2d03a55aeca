import { spawn } from "node:child_process";
import { once } from "node:events";
import { ToolFailure } from "@toolkeep/core";
import { findProgram } from "@toolkeep/node/internal";

/** The program that opens a page, by platform. Never a shell: the address comes from an untrusted server. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  linux: ["xdg-open"],
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Not the user's search path: it may lead into a workspace, where a model can write programs. */
const SYSTEM_PATH = [
  ...["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"],
  ...["/snap/bin", "/var/lib/flatpak/exports/bin", "/run/current-system/sw/bin"],
].join(":");

/**
 * Opens a page in the user's browser. The page must have been checked.
 * @throws ToolFailure `denied` if that fails.
 */
export async function openBrowser(page: URL): Promise<void> {
  const [name, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const program = (await findProgram(name)) ?? name;
  const env = process.platform === "win32" ? process.env : { ...process.env, PATH: SYSTEM_PATH };
  const child = spawn(program, [...args, page.href], { stdio: "ignore", detached: true, shell: false, env });
  try {
    await once(child, "spawn");
    child.unref();
  } catch (error) {
    throw new ToolFailure("denied", `No browser could be opened for the login: ${name} did not start.`, {
      hint: "Log in on a machine that has a browser.",
      cause: error,
    });
  }
}
