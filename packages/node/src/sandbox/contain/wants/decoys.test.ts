import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decoysFor } from "./decoys.ts";

test("credentials and personal folders of the home have decoys, but not what the command may open", () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-decoys-"));
  try {
    for (const name of [".ssh", "Documents/code/shop", "Bilder", "Pictures", ".config", "go"])
      mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, ".netrc"), "");
    const names = ['XDG_PICTURES_DIR="$HOME/Bilder"', 'XDG_MUSIC_DIR="$HOME/"', 'XDG_X_DIR="/etc"'];
    writeFileSync(join(home, ".config/user-dirs.dirs"), names.join("\n"));
    const project = join(home, "Documents/code/shop");
    const profile = { environment: { HOME: home }, read: [], write: [project], guarded: [], hidden: [] };
    const decoys = decoysFor({ ...profile, hosts: [], cwd: project });
    expect(decoys.filter(({ kind }) => kind !== "socket")).toEqual([
      { path: join(home, ".ssh"), kind: "folder" },
      { path: join(home, ".netrc"), kind: "file" },
      { path: join(home, "Pictures"), kind: "names" },
      { path: join(home, "Bilder"), kind: "names" },
    ]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
