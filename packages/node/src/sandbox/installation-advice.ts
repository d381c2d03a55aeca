import { readFile } from "node:fs/promises";
import { findProgram } from "./find-program.ts";
import { isKnownProcessor } from "./system-calls.ts";

/** What to install here, in one sentence or two. */
export async function installationAdvice(processor: string = process.arch): Promise<string> {
  if (process.platform === "darwin") return "Install the package @anthropic-ai/sandbox-runtime 0.0.83.";
  if (process.platform !== "linux")
    return "There are no walls for this platform; run in a Linux machine or container.";
  const missing = (await Promise.all(PACKAGES.map(missingPackage))).flat();
  const blocked = await namespaceError();
  const words = [
    ...(isKnownProcessor(processor) ? [] : [UNKNOWN_PROCESSOR]),
    ...(missing.length === 0 ? [] : [`Install ${missing.join(" and ")}: ${await installCommand(missing)}.`]),
    ...(blocked === undefined ? [] : [blocked]),
  ];
  return words.length === 0
    ? "Everything that is needed is installed; `doctor` says what did not hold."
    : words.join(" ");
}

/** There is no filter for system calls then, and without one the probes do not pass. */
const UNKNOWN_PROCESSOR = "System calls of this processor are not known; bubblewrap cannot be used here.";

const PACKAGES: readonly (readonly [program: string, name: string])[] = [
  ["bwrap", "bubblewrap"],
  ["prlimit", "util-linux"],
];

async function missingPackage([program, name]: readonly [string, string]): Promise<readonly string[]> {
  return (await findProgram(program)) === undefined ? [name] : [];
}

/** Why user namespaces cannot be made here by an ordinary user, as far as the settings of the kernel say. */
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

const INSTALLERS: readonly (readonly [program: string, words: string])[] = [
  ["apt-get", "apt-get install"],
  ["dnf", "dnf install"],
  ["zypper", "zypper install"],
  ["pacman", "pacman -S"],
  ["apk", "apk add"],
];

async function installCommand(packages: readonly string[]): Promise<string> {
  for (const [program, words] of INSTALLERS)
    if ((await findProgram(program)) !== undefined) return `${words} ${packages.join(" ")}`;
  return "with the package manager of the system";
}
