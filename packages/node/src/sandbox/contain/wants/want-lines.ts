import { existsSync } from "node:fs";
import { join } from "node:path";
import { readCommand } from "@toolkeep/catalog";
import { PACKAGE_HOSTS, wordsIn } from "@toolkeep/catalog/internal";
import { splitCommand } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import type { Want } from "../place/place-protocol.ts";

/** What a command reached for, for the model and the person. */
export function wantLine(want: Want): string {
  if (want.kind === "host") return quoted(want.port === 0 ? want.host : `${want.host}:${want.port}`);
  return want.kind === "loopback" ? `127.0.0.1:${want.port} of this machine` : quoted(want.path);
}

/** A name that is not plain could read as words of ours. */
export function quoted(name: string): string {
  return /^[\w./@:+~[\]-]+$/.test(name) ? name : JSON.stringify(name);
}

/** What is worst first: a person reads no long list to its end. */
export function worstFirst(wants: readonly Want[]): readonly Want[] {
  return wants.toSorted((one, other) => rank(one) - rank(other));
}

function rank(want: Want): number {
  const kinds = { secret: 0, socket: 1, host: 2, loopback: 3 };
  return isByTheWay(want) ? 4 : kinds[want.kind];
}

/** Counting users and looking for new versions: programs do it by the way, and go on without. */
const BY_THE_WAY =
  /^(?:[\w-]+\.)*(?:telemetry\.[\w.-]+|sentry\.io|segment\.(?:io|com)|amplitude\.com|mixpanel\.com|posthog\.com|google-analytics\.com|checkpoint-api\.hashicorp\.com|update-notifier\.[\w.]+|proxy-safebrowsing\.[\w.]+|applicationinsights\.azure\.com|vortex\.data\.microsoft\.com)$/;

/** Package managers ask for new versions of themselves. What cannot be installed fails. */
const REGISTRIES = wordsIn([
  "registry.npmjs.org registry.yarnpkg.com",
  ...Object.values(PACKAGE_HOSTS.managers).flatMap((manager) => ("hosts" in manager ? [manager.hosts] : [])),
]);

/** Whether a command that succeeded did not need this: nothing is told, and nothing is asked. */
export function isByTheWay(want: Want, isInstalling = false): boolean {
  return want.kind === "host" && (BY_THE_WAY.test(want.host) || (!isInstalling && REGISTRIES.has(want.host)));
}

/** Whether a line installs packages, or runs one that the project does not have. It may succeed without: `npx x | tail`. */
export function installs(line: string, project: string): boolean {
  return line.split(/[|;&\n()]+/).some((part) => {
    const argv = splitCommand(part.trim().replace(/^(?:\w+=\S*\s+)+/, ""));
    const does = readCommand(argv)?.does ?? [];
    const name = argv.slice(1).find((word) => !/^(?:-.*|exec|x)$/.test(word)) ?? "";
    const isThere = name !== "" && existsSync(join(project, "node_modules/.bin", name));
    return does.includes("package.install") || (does.includes("package.run") && !isThere);
  });
}

const TRIED_ONCE = {
  ...{ npm_config_fetch_retries: "0", PIP_RETRIES: "0", UV_HTTP_RETRIES: "0" },
  ...{ CARGO_NET_RETRY: "0", BUNDLE_RETRY: "0" },
};

/** Variables for a command that reaches no host: package managers try again for more than a minute, and are refused again. */
export function triedOnce(profile: SandboxProfile): Readonly<Record<string, string>> {
  return profile.contained?.hosts.length === 0 ? TRIED_ONCE : {};
}

/** Whether nothing of a command is kept that reached for this: it would take it where it should not go. */
export function isDangerous(want: Want): boolean {
  return want.kind !== "loopback" && !isByTheWay(want);
}
