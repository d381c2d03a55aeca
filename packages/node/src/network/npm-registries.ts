import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { kindAt, textAt } from "../files/entries.ts";
import { readUrl } from "./read-url.ts";

/** Where a package manager fetches packages from, by its configuration. */
export interface Registry {
  /** The packages that it is for; `undefined` for all that no other is for. */
  readonly scope: string | undefined;
  readonly url: URL;
}

/** What names registries in each file. A scope is captured before the address. */
const FILES: readonly (readonly [name: string, setting: RegExp])[] = [
  [".npmrc", /^[ \t]*(?:(@[^:=\s]+):)?registry[ \t]*=[ \t]*["']?([^"'\s]+)/gm],
  [".yarnrc", /^[ \t]*"?(?:(@[^:\s"]+):)?registry"?[ \t]+"?([^"\s]+)/gm],
  [".yarnrc.yml", /^([ \t]+)?npmRegistryServer[ \t]*:[ \t]*["']?([^"'\s]+)/gm],
];

/** The registries of a folder by scope, the project's before the user's; no credentials, and nothing else of the files. */
export function configuredRegistries(folder: string, home: string = homedir()): readonly Registry[] {
  const registries = new Map<string | undefined, Registry>();
  for (const at of [...projectFolders(folder), home])
    for (const [name, setting] of FILES)
      for (const [, scope, address] of (textAt(join(at, name)) ?? "").matchAll(setting)) {
        const url = urlIn(address);
        if (url !== undefined && !registries.has(scope)) registries.set(scope, { scope, url });
      }
  return [...registries.values()];
}

/** A configuration for npm with a folder's registries alone: a sandbox hides files that may contain tokens. */
export function npmConfiguration(folder: string): string {
  return configuredRegistries(folder)
    .map(({ scope, url }) => `${scope?.startsWith("@") === true ? `${scope}:` : ""}registry=${url.href}\n`)
    .join("");
}

const MOST_FOLDERS = 16;

/** From where a command runs up to the top of its repository: a package of a monorepo is configured at the top. */
function projectFolders(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; folders.length < MOST_FOLDERS; at = dirname(at)) {
    folders.push(at);
    if (kindAt(join(at, ".git")) !== undefined) return folders;
    if (at === dirname(at)) break;
  }
  return folders.slice(0, 1);
}

/** An address of the web without its credentials; `undefined` for anything else. */
export function urlIn(text: string | undefined): URL | undefined {
  const address = text?.replace(/^(https?:\/\/)[^@/?#]*@/i, "$1");
  if (address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  return unlessThrown(() => readUrl(address));
}
