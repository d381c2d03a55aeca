import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { readCommand } from "@toolkeep/catalog";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type TrustAnswer } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import { formatConfigDiagnostic } from "./config-diagnostics.ts";
import { readConfig } from "./read-config.ts";

let top: string;
beforeEach(async () => {
  top = temporaryFolder();
  await mkdir(join(top, "project/.git"), { recursive: true });
});

const USER = "home/.config/toolkeep";
const PROJECT = "project/.toolkeep";
const MACHINE = "machine";

const write = (name: string, value: unknown) => putFile(join(top, name), value);

/** An entry in which `list` does what is said. */
const entry = (program: string, does: string) => ({
  program,
  source: ["its manual page"],
  otherwise: "cloud.write",
  commands: { list: { does, operands: "none" } },
  examples: [
    [`${program} list`, does],
    [`${program} list -x`, `${does} cloud.write ?`],
    [`${program} drop`, "cloud.write ?"],
  ],
});

async function read(answer: TrustAnswer = "trust") {
  const store = trustStore(join(top, "trust.json"));
  const trust = createProjectTrust({ store, decide: () => answer, again: "changed" });
  const { config, diagnostics } = await readConfig({
    ...{ cwd: join(top, "project"), home: join(top, "home"), env: {}, trust },
    managed: join(top, MACHINE, "config.jsonc"),
  });
  return {
    does: (line: string) => {
      const { does, isWhole } = readCommand(line.split(" "), {}, config?.catalog) ?? {};
      return does === undefined ? "unknown" : [...does, ...(isWhole ? [] : ["?"])].join(" ");
    },
    diagnostics: diagnostics.map(formatConfigDiagnostic),
    isVoid: config === undefined,
  };
}

describe("entries of programs in folders of configuration", () => {
  test("the user's make a program known, and stand instead of ours", async () => {
    write(`${USER}/catalog/shopctl.json`, entry("shopctl", "cloud.read"));
    write(`${USER}/catalog/kubectl.json`, entry("kubectl", "cloud.read"));
    const { does, diagnostics } = await read();
    expect(does("shopctl list")).toBe("cloud.read");
    expect(does("kubectl list")).toBe("cloud.read");
    expect(diagnostics).toEqual([]);
  });

  test("with an administrator the user's make unknown programs known, and narrow the others", async () => {
    write(`${MACHINE}/config.jsonc`, "{}");
    write(`${USER}/catalog/shopctl.json`, entry("shopctl", "cloud.read"));
    write(`${USER}/catalog/terraform.json`, entry("terraform", "cloud.read"));
    const { does } = await read();
    expect(does("shopctl list")).toBe("cloud.read");
    expect(does("terraform destroy")).toBe("infra.destroy cloud.write ?");
  });

  test("the administrator's stand instead of ours and the user's", async () => {
    write(`${MACHINE}/catalog/shopctl.json`, entry("shopctl", "cloud.delete"));
    write(`${USER}/catalog/shopctl.json`, entry("shopctl", "cloud.read"));
    expect((await read()).does("shopctl list")).toBe("cloud.delete cloud.read");
  });

  test("a project's narrow, and alone make no program known", async () => {
    write(`${PROJECT}/catalog/shopctl.json`, entry("shopctl", "cloud.read"));
    write(`${PROJECT}/catalog/terraform.json`, entry("terraform", "secret.read"));
    const { does } = await read();
    expect(does("shopctl list")).toBe("unknown");
    expect(does("terraform validate")).toMatch(/cloud\.write \?$/);
    write(`${USER}/catalog/shopctl.json`, entry("shopctl", "db.read"));
    expect((await read()).does("shopctl list")).toBe("db.read cloud.read");
  });

  test("nothing of a project is read that was never trusted", async () => {
    write(`${PROJECT}/catalog/terraform.json`, entry("terraform", "secret.read"));
    expect((await read("decline")).does("terraform validate")).not.toContain("?");
  });

  test("of a project's entry that changed, or is gone, what was trusted narrows on", async () => {
    write(`${USER}/catalog/shopctl.json`, entry("shopctl", "db.read"));
    write(`${PROJECT}/catalog/shopctl.json`, entry("shopctl", "secret.read"));
    await read();
    write(`${PROJECT}/catalog/shopctl.json`, entry("shopctl", "cloud.read"));
    expect((await read("decline")).does("shopctl list")).toBe("db.read cloud.read secret.read");
    await rm(join(top, PROJECT, "catalog/shopctl.json"));
    expect((await read("decline")).does("shopctl list")).toBe("db.read secret.read");
  });

  test.each([USER, PROJECT, MACHINE])(
    "an invalid entry in %s makes its program ask, and says so",
    async (folder) => {
      write(`${folder}/catalog/terraform.json`, {
        ...entry("terraform", "cloud.read"),
        otherwise: "x",
      });
      const { does, diagnostics, isVoid } = await read();
      expect(isVoid).toBe(false);
      expect(does("terraform validate")).toMatch(/ \?$/);
      expect(does("terraform destroy")).toContain("infra.destroy");
      const file = join(top, folder, "catalog/terraform.json");
      expect(diagnostics).toEqual([
        `${file}:1:1: warning: otherwise: There is no capability \`x\`. Commands of \`terraform\` ask until it is fixed: run \`toolkeep catalog check ${file}\`.`,
      ]);
    },
  );

  test("where entries cannot be listed, every program asks", async () => {
    const folder = join(top, MACHINE, "catalog");
    await mkdir(join(top, MACHINE));
    await symlink(folder, folder);
    const { does, diagnostics } = await read();
    expect(diagnostics).toEqual([expect.stringContaining("they cannot be listed (ELOOP)")]);
    expect(does("terraform validate")).toMatch(/ \?$/);
  });

  test.each(["{", "null", '{"program":', `${"[".repeat(100_000)}`])(
    "no text in a file breaks a decision: %s",
    async (text) => {
      write(`${USER}/catalog/terraform.json`, text);
      const { does, diagnostics } = await read();
      expect(diagnostics).toHaveLength(1);
      expect(does("terraform destroy")).toContain("infra.destroy");
    },
  );
});
