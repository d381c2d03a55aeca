import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isProgram } from "../../files/entries.ts";
import { FOLDERS, INSTALLERS, PACKAGES, UNKNOWN_PROCESSOR } from "./packages.ts";
import { isKnownProcessor } from "./system-calls.ts";

/** What to install here, in one sentence or two. */
export async function installationAdvice(processor: string = process.arch): Promise<string> {
  if (process.platform === "darwin") return "Install the package @anthropic-ai/sandbox-runtime 0.0.83.";
  if (process.platform !== "linux")
    return "There is no sandbox for this platform; run in a Linux machine or container.";
  const missing = (await Promise.all(PACKAGES.map(missingPackage))).flat();
  const blocked = await namespaceError();
  const sentences = [
    ...(isKnownProcessor(processor) ? [] : [UNKNOWN_PROCESSOR]),
    ...(missing.length === 0 ? [] : [`Install ${missing.join(" and ")}: ${await installCommand(missing)}.`]),
    ...(blocked === undefined ? [] : [blocked]),
  ];
  return sentences.length === 0
    ? "Everything that is needed is installed; `inspectHost()` or `toolkeep doctor` shows which probe succeeded."
    : sentences.join(" ");
}

async function missingPackage([program, name]: readonly [string, string]): Promise<readonly string[]> {
  return (await findProgram(program)) === undefined ? [name] : [];
}

/** Why an ordinary user cannot create user namespaces here, as far as the kernel's settings say. */
export async function namespaceError(): Promise<string | undefined> {
  if ((await setting("user/max_user_namespaces")) === "0")
    return "User namespaces are switched off: set the kernel's user.max_user_namespaces above 0.";
  if ((await setting("kernel/unprivileged_userns_clone")) === "0")
    return "User namespaces are closed to ordinary users: set the kernel's kernel.unprivileged_userns_clone to 1.";
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1")
    return "AppArmor restricts user namespaces: give bwrap a profile with `userns,` in /etc/apparmor.d, or set kernel.apparmor_restrict_unprivileged_userns to 0.";
  return undefined;
}

async function setting(name: string): Promise<string | undefined> {
  return readFile(`/proc/sys/${name}`, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** The command that installs packages here. */
export async function installCommand(packages: readonly string[]): Promise<string> {
  for (const [program, command] of INSTALLERS)
    if ((await findProgram(program)) !== undefined) return `${command} ${packages.join(" ")}`;
  return "use the package manager of the system";
}

/** Where a program of the system is; `undefined` when it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  return FOLDERS.map((folder) => join(folder, name)).find(isProgram);
}
