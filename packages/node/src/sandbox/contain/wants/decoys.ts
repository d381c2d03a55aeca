import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import type { Decoy } from "../place/place-protocol.ts";

/** Names of credentials in a home. A command that opens one reaches for it, and finds it empty. */
const SECRETS = [
  ".ssh",
  ".aws",
  ".config/gh",
  ".config/gcloud",
  ".kube",
  ".docker",
  ".netrc",
  ".pgpass",
  ".git-credentials",
  ".terraform.d",
  ".azure",
  ".gnupg",
  ".vault-token",
  ".config/hub",
  ".config/op",
  ".password-store",
  ".pypirc",
];
const SOCKETS = ["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock"];

/** What a contained command is shown instead of what it may not have. */
export function decoysFor({ environment, read, write }: SandboxProfile): readonly Decoy[] {
  const home = environment["HOME"] ?? "";
  const opened = [...read, ...write];
  const secrets = SECRETS.map((name) => join(home, name)).flatMap((path): readonly Decoy[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || opened.some((one) => isWithin(one, path) || isWithin(path, one))) return [];
    return [{ path, kind: stats.isDirectory() ? "folder" : "file" }];
  });
  const sockets = SOCKETS.flatMap((path): readonly Decoy[] =>
    isThere(path) ? [{ path, kind: "socket" }] : [],
  );
  return [...secrets, ...sockets];
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
