import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { directories } from "../../environment/directories.ts";
import { formatConfigDiagnostic } from "./config-diagnostics.ts";
import { readConfig } from "./read-config.ts";

let top: string;
let project: string;

beforeEach(async () => {
  top = temporaryFolder();
  project = join(top, "home", "project");
  await mkdir(join(project, ".git"), { recursive: true });
});

const trusting = { of: async (folder: string) => ({ isTrusted: true, project: folder }) as const };

const write = (path: string, value: unknown) => putFile(join(top, path), JSON.stringify(value));

async function read(env: Readonly<Record<string, string>> = {}) {
  const place = {
    home: join(top, "home"),
    platform: "linux",
    managed: join(top, "etc/config.jsonc"),
  } as const;
  const { config, diagnostics } = await readConfig({ ...place, cwd: project, env, trust: trusting });
  return { config, said: diagnostics.map(formatConfigDiagnostic) };
}

const MANAGED = {
  modes: ["ask", "allowlist"],
  environment: "production",
  servers: { docs: "https://docs.example/mcp", files: ["/opt/files --stdio", "/opt/files *"] },
  clients: ["claude-code"],
};

describe("the administrator's configuration", () => {
  test.each(["etc/config.jsonc", "etc/config.json"])("is read from %s", async (file) => {
    write(file, MANAGED);
    expect(await read()).toMatchObject({
      config: { ...MANAGED, servers: { ...MANAGED.servers, docs: ["https://docs.example/mcp"] } },
      said: [],
    });
  });

  test("is an error if both are there, because it would be unclear which one applies", async () => {
    write("etc/config.json", { mode: "ask" });
    write("etc/config.jsonc", {});
    const { config, said } = await read();
    expect(config).toBeUndefined();
    expect(said).toEqual([expect.stringContaining("only one of them can apply")]);
  });

  test.each(Object.entries(MANAGED))("alone has the key %s: elsewhere it is an error", async (key, value) => {
    for (const file of ["home/.config/toolkeep/config.jsonc", "home/project/toolkeep.jsonc"]) {
      write(file, { [key]: value });
      const { config, said } = await read();
      expect(config).toBeUndefined();
      expect(said).toEqual([expect.stringContaining(`Only the administrator can set \`${key}\``)]);
      await rm(join(top, file));
    }
  });

  test.each([
    [{ modes: ["ask", "yollo"] }, /one of ask, allowlist, yolo, observe/],
    [{ modes: "ask" }, /is a list/],
    [{ clients: ["emacs"] }, /one of claude-code/],
    [{ servers: ["docs"] }, /is written as/],
    [{ servers: { "a b": "x" } }, /The name of a server/],
    [{ servers: { docs: 3 } }, /is a text/],
    [{ environment: "" }, /is a text/],
  ])("has valid values: %j", async (value, expected) => {
    write("etc/config.jsonc", value);
    expect((await read()).said).toEqual([expect.stringMatching(expected)]);
  });
});

test("no variable moves the place of the administrator's configuration", () => {
  const moved = [
    "TOOLKEEP_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "HOME",
    "ProgramData",
    "ALLUSERSPROFILE",
  ];
  const platforms = ["linux", "darwin", "win32"] as const;
  for (const platform of platforms) {
    const elsewhere = platform === "win32" ? "D:\\evil" : "/evil";
    const env = Object.fromEntries(moved.map((name) => [name, elsewhere]));
    const home = platform === "win32" ? "C:\\Users\\Ada" : "/home/ada";
    const { managedConfig } = directories({ env, home, platform });
    expect(managedConfig).toBe(directories({ env: {}, home, platform }).managedConfig);
    expect(managedConfig).not.toContain("evil");
  }
});
