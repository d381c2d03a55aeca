import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { beforeEach, describe, expect, test } from "vitest";
import { projectCaches } from "../../environment/project-caches.ts";
import { TOOL_CACHES } from "../../environment/tool-caches.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "../testing/sandboxed-workspace.test.kit.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

let project: SandboxedWorkspace;
let other: SandboxedWorkspace;

beforeEach(() => {
  project = sandboxedWorkspace();
  other = sandboxedWorkspace();
  chmodSync(project.folder, 0o755);
});

/** In the home of the user, which both projects have. */
function inHome(name: string): string {
  return join(project.folder, "home", name);
}

function keep(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(inHome(name)), { recursive: true });
    writeFileSync(inHome(name), text);
  }
  // Gives all of it to the user of the commands.
  project.write({});
}

function profileOf(
  workspace: SandboxedWorkspace,
  values: Readonly<Record<string, string>> = {},
): SandboxProfile {
  const { caches, environment } = projectCaches({
    ...{ home: inHome("."), seenHome: "/home/toolkeep", roots: [workspace.path], hidden: [], values },
    layers: join(project.folder, "layers"),
  });
  const profile = workspace.profile();
  return { ...profile, caches, environment: { ...profile.environment, ...environment } };
}

async function outputOf(line: string, profile: SandboxProfile): Promise<string> {
  const sandbox = bubblewrapSandbox({ protection: { quarantine: project.quarantine } });
  return (await runLine(sandbox, line, profile)).output.trim();
}

describe.skipIf(isolation === "none")(`the caches of a project${reason}`, () => {
  test("a command sees the user's cache, and what commands of its project wrote before", async () => {
    keep({ ".cache/go-build/00/a": "of the user" });
    const cache = "~/.cache/go-build/00";
    expect(await outputOf(`cat ${cache}/a && echo built > ${cache}/b`, profileOf(project))).toBe(
      "of the user",
    );
    expect(await outputOf(`cat ${cache}/b`, profileOf(project))).toBe("built");
  });

  test("a poisoned entry reaches neither the user's cache nor another project", async () => {
    keep({ ".cache/go-build/00/a": "good", "go/pkg/mod/m@v1/m.go": "good" });
    const poison =
      "for file in ~/.cache/go-build/00/a ~/go/pkg/mod/m@v1/m.go; do echo bad > $file; cat $file; done; echo bad > ~/.cache/go-build/new; rm -r ~/go/pkg/mod/m@v1";
    expect(await outputOf(poison, profileOf(project))).toBe("bad\nbad");
    expect(readFileSync(inHome(".cache/go-build/00/a"), "utf8")).toBe("good");
    expect(readFileSync(inHome("go/pkg/mod/m@v1/m.go"), "utf8")).toBe("good");
    expect(readdirSync(inHome(".cache/go-build"))).toEqual(["00"]);
    const look = "cat ~/.cache/go-build/00/a ~/go/pkg/mod/m@v1/m.go; ls ~/.cache/go-build";
    expect(await outputOf(look, profileOf(other))).toBe("goodgood00");
  });

  test("credentials next to a cache are not shown with it", async () => {
    const places = TOOL_CACHES.map(({ base, folder, part = "", hidden = [], secrets = [] }) => {
      const at = join({ home: ".", cache: ".cache", data: ".local/share" }[base], folder);
      const closed = [
        ...secrets.map((name) => join(at, name)),
        ...hidden.map((name) => join(at, part, name, "x")),
      ];
      return { entry: join(at, part, "entry"), closed };
    });
    const names = places.flatMap(({ entry, closed }) => [entry, ...closed]);
    keep(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const output = await outputOf(`cd ~ && cat ${names.join(" ")} 2> /dev/null`, profileOf(project));
    expect(output.split("\n")).toEqual(places.map(({ entry }) => entry));
  });

  test("a secret that a user keeps in a cache is hidden in it", async () => {
    keep({
      "caches/pip/http/x": "cached",
      "caches/pip/.npmrc": "//r/:_authToken=t",
      "caches/pip/http/.env": "T=1",
    });
    const profile = profileOf(project, { PIP_CACHE_DIR: inHome("caches/pip") });
    const look = "cat $PIP_CACHE_DIR/http/x; cat ~/caches/pip/.npmrc ~/caches/pip/http/.env 2> /dev/null";
    expect(await outputOf(look, profile)).toBe("cached");
  });

  test("commands at the same time write to different layers", async () => {
    keep({ ".cache/go-build/a": "of the user" });
    const sandbox = bubblewrapSandbox({ protection: { quarantine: project.quarantine } });
    const line = (name: string) =>
      `echo ${name} > ~/.cache/go-build/${name}; touch ${name}; until [ -e one ] && [ -e two ]; do sleep 0.05; done; ls ~/.cache/go-build`;
    const profile = profileOf(project);
    const outputs = await Promise.all(["one", "two"].map((name) => runLine(sandbox, line(name), profile)));
    expect(outputs.map(({ output }) => output)).toEqual(["a\none\n", "a\ntwo\n"]);
  });

  test("a command with caches has no more rights than one without", async () => {
    keep({ ".cache/go-build/a": "of the user" });
    const line =
      "id -u; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; unshare -U true 2> /dev/null || echo REFUSED";
    const rights = await outputOf(line, profileOf(project));
    expect(rights).toContain("REFUSED");
    expect(rights).toBe(await outputOf(line, project.profile()));
  });

  test("a command without caches of the user keeps its own", async () => {
    keep({});
    await outputOf(
      "mkdir -p ~/.cache/new ~/.m2/repository/x && echo kept > ~/.cache/new/a",
      profileOf(project),
    );
    expect(await outputOf("cat ~/.cache/new/a; ls ~/.m2/repository", profileOf(project))).toBe("kept\nx");
    expect(existsSync(inHome(".cache"))).toBe(false);
  });
});
