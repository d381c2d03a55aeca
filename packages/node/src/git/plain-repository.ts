import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { kindAt, textAt } from "../files/entries.ts";
import { PLAIN_NAMES, PLAIN_SETTINGS } from "./plain-entries.ts";

/** Whether a path is git's folder as `git init` or `clone` leave it without a template: nothing in it is run. */
export function isPlainRepository(path: string): boolean {
  if (basename(path) !== ".git" || kindAt(path) !== "folder") return false;
  const names = namesOf(path);
  const settings = textAt(join(path, "config"));
  return (
    names?.every((name) => PLAIN_NAMES.test(name)) === true &&
    kindAt(join(path, "config")) === "file" &&
    kindAt(join(path, "objects/info/alternates")) === undefined &&
    settings !== undefined &&
    areKnown(settings)
  );
}

function namesOf(folder: string): readonly string[] | undefined {
  return unlessThrown(() => readdirSync(folder));
}

const SECTION = /^\[(\w+)(?: "[^"\\]*")?\]$/;
const SETTING = /^\t(\w+) = ([^"\\#;]*)$/;

/** Reads what git itself writes; anything else is not known. */
function areKnown(settings: string): boolean {
  let known: RegExp | undefined;
  return settings.split("\n").every((line) => {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) known = PLAIN_SETTINGS.get(section);
    const [, key = "", value = ""] = SETTING.exec(line) ?? [];
    const isSetting = known?.test(key) === true && !value.includes("::");
    return line === "" || (section === undefined ? isSetting : known !== undefined);
  });
}
