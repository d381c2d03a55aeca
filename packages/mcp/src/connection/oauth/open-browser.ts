import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, isAbsolute } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";

/** The program that opens a page, by platform. Never a shell: the address comes from an untrusted server. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  linux: ["xdg-open"],
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a page in the user's browser. The page must have been checked. @throws ToolFailure `denied` if that fails. */
export async function openBrowser(page: URL): Promise<void> {
  const [name, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const env = process.platform === "win32" ? process.env : { ...process.env, PATH: searchPath() };
  const child = spawn(name, [...args, page.href], { stdio: "ignore", detached: true, shell: false, env });
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

/** The user's search path, without folders of the project: a model can write programs there. */
function searchPath(): string {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isWithin(folder, process.cwd()))
    .join(delimiter);
}
