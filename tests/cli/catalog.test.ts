import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeAll(() => {
  bench = cliBench();
  return bench.remove;
});

const ENTRY = {
  program: "shopctl",
  source: ["shopctl --help (2.1)"],
  otherwise: "cloud.write",
  commands: {
    "list|show": { does: "cloud.read", operands: "text" },
    drop: { does: "cloud.delete", operands: "text" },
  },
  examples: [
    ["shopctl list", "cloud.read"],
    ["shopctl drop shop-7", "cloud.delete"],
    ["shopctl list --frob", "cloud.read cloud.write ?"],
  ],
};
const text = (change: object = {}) => JSON.stringify({ ...ENTRY, ...change });

describe("toolkeep catalog", () => {
  test("lists the programs that are known", async () => {
    const { code, stdout } = await bench.runHere(["catalog", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({ program: "kubectl", aliases: ["oc", "kubecolor"] });
  });

  test("shows a program by what its subcommands do, the worst last", async () => {
    const { code, stdout } = await bench.runHere(["catalog", "show", "kubecolor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^kubectl, oc, kubecolor\n/);
    expect(stdout).toMatch(
      /\(k8s\.read\)\n(?: {2}.*\n)+[\s\S]*\(k8s\.delete\)\n(?: {2}.*\n)* {2}kubectl delete\b/,
    );
    const { stdout: json } = await bench.runHere(["catalog", "show", "kubectl", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ program: "kubectl", otherwise: "k8s.write" });
  });

  test("says which name is near to one that is not known", async () => {
    const { code, stderr } = await bench.runHere(["catalog", "show", "kubctl"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Did you mean kubectl?");
  });

  test("checks entries, and names what is not known in them", async () => {
    const fine = bench.write("shopctl.json", text());
    const { code, stdout } = await bench.runHere(["catalog", "check", fine]);
    expect(stdout).toBe(`${fine}: valid, describes shopctl, 3 examples\n`);
    expect(code).toBe(0);
    const wrong = bench.write("wrong/shopctl.json", text({ otherwise: "cloud.wirte" }));
    const option = bench.write(
      "option/shopctl.json",
      text({ examples: [["shopctl list -x", "cloud.read"], ...ENTRY.examples] }),
    );
    const named = bench.write("other.json", text());
    const failed = await bench.runHere(["catalog", "check", wrong, option, named]);
    expect(failed.code).toBe(1);
    expect(failed.stdout.split("\n")).toEqual([
      `${wrong}: otherwise: There is no capability \`cloud.wirte\`.`,
      `${wrong}: 1 error`,
      `${option}: examples[0]: \`shopctl list -x\` does \`cloud.read cloud.write ?\`, and not \`cloud.read\`. Not known: \`-x\`.`,
      `${option}: 1 error`,
      `${named}: program: The name of its file must be shopctl.json.`,
      `${named}: 1 error`,
      "",
    ]);
  });
});

/** Writes an entry of the user. */
function own(name: string, content: string): string {
  const folder = join(bench.environment.TOOLKEEP_HOME, "config", "catalog");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function decided(line: string): Promise<string> {
  const { stdout } = await bench.runHere(["policy", "explain", line, "--json"]);
  return JSON.parse(stdout)[0].action;
}

describe("an entry of the user", () => {
  test("lets the reads of its program pass, asks about the rest, and a project's entry narrows it", async () => {
    expect(await decided("shopctl list")).toBe("ask");
    bench.write(".toolkeep/catalog/shopctl.json", text());
    expect((await bench.runHere(["trust", "--yes"])).code).toBe(0);
    expect(await decided("shopctl list")).toBe("ask");
    const unknown = await bench.runHere(["catalog", "show", "shopctl"]);
    expect(unknown.stderr).toContain("A project's entry only narrows. To use ");
    const file = own("shopctl.json", text());
    expect(await decided("shopctl list")).toBe("allow");
    const shown = await bench.runHere(["catalog", "show", "shopctl"]);
    const ofProject = join(bench.project, ".toolkeep/catalog/shopctl.json");
    expect(shown.stdout).toContain(`shopctl\nDescribed in ${file}\nNarrowed in ${ofProject}\n`);
    expect((await bench.runHere(["catalog"])).stdout).toContain(`shopctl  (in ${file})\n`);
    expect(await decided("shopctl drop shop-7")).toBe("ask");
    expect(await decided("shopctl list --frob")).toBe("ask");
    bench.write(
      ".toolkeep/catalog/shopctl.json",
      text({
        commands: { list: "cloud.delete" },
        examples: [
          ["shopctl list", "cloud.delete"],
          ["shopctl list --frob", "cloud.delete cloud.write ?"],
          ["shopctl show", "cloud.write ?"],
        ],
      }),
    );
    expect(await decided("shopctl list")).toBe("ask");
    rmSync(file);
    rmSync(join(bench.project, ".toolkeep"), { recursive: true });
  });
});

test("an invalid entry is named by `doctor` and `config show`, and makes its program ask", async () => {
  const file = own("kubectl.json", text({ program: "kubectl" }));
  const { stdout } = await bench.runHere(["config", "show"]);
  expect(stdout).toContain(`Entries of programs\n  kubectl  ${file}  (yours, narrows what is known)\n`);
  const { findings } = JSON.parse((await bench.runHere(["doctor", "--json"])).stdout);
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ code: "config_ignored", severity: "note", who: "you" },
      fix: `Commands of \`kubectl\` ask until it is fixed: run \`toolkeep catalog check ${file}\`.`,
    }),
  );
  expect(await decided("kubectl get pods")).toBe("ask");
  rmSync(file);
  expect(await decided("kubectl get pods")).toBe("allow");
});
