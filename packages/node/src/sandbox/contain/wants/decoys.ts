import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin, unlessThrown } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import type { Decoy } from "../place/place-protocol.ts";

/** Names of credentials in a home. A command that opens one reaches for it, and finds it empty. */
const SECRETS = [
  ...[".ssh", ".aws", ".config/gh", ".config/gcloud", ".kube", ".docker", ".netrc", ".pgpass"],
  ...[".git-credentials", ".terraform.d", ".azure", ".gnupg", ".vault-token", ".config/hub", ".config/op"],
  ...[".password-store", ".pypirc"],
];
/** Folders of a home with what its user made. The user may have given them other names. */
const PERSONAL = ["Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos"];
const NAMED = /^XDG_\w+_DIR="\$HOME\/([^"\\]+)"$/gm;
const SOCKETS = ["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock"];

/** What a contained command is shown instead of what it may not have. */
export function decoysFor({ environment, read, write }: SandboxProfile): readonly Decoy[] {
  const home = environment["HOME"] ?? "";
  const opened = [...read, ...write];
  const own = (name: string, kind: "folder" | "names"): readonly Decoy[] => {
    const path = join(home, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || opened.some((one) => isWithin(one, path) || isWithin(path, one))) return [];
    return stats.isDirectory() ? [{ path, kind }] : kind === "folder" ? [{ path, kind: "file" }] : [];
  };
  const secrets = SECRETS.flatMap((name) => own(name, "folder"));
  const personal = [...new Set([...PERSONAL, ...namesIn(home)])].flatMap((name) => own(name, "names"));
  const sockets = SOCKETS.filter(isThere).map((path) => ({ path, kind: "socket" }) as const);
  return [...secrets, ...personal, ...sockets];
}

/** The names that the desktop has for these folders. */
function namesIn(home: string): readonly string[] {
  const text = unlessThrown(() => readFileSync(join(home, ".config/user-dirs.dirs"), "utf8")) ?? "";
  return [...text.matchAll(NAMED)].flatMap(([, name]) => name ?? []).slice(0, MOST_NAMED);
}

const MOST_NAMED = 12;

function isThere(path: string): boolean {
  return unlessThrown(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? true;
}
