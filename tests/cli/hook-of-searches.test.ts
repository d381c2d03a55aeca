import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { searchedPart } from "../../packages/cli/src/hooks/read/own-tools.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, ownTool, verdict } from "./hook-bench.ts";
import type { Payload } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  bench.write("src/a.ts", "x");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

interface Search {
  readonly client: HookClientName;
  readonly tool: string;
  input(folder?: string): Payload;
  /** Whether it shows names of files, and nothing of what is in them. */
  readonly showsNames?: true;
}

const at =
  (name: string, more: Payload = {}) =>
  (folder?: string) => ({
    ...more,
    ...(folder === undefined ? {} : { [name]: folder }),
  });

const SEARCHES: readonly Search[] = [
  { client: "claude-code", tool: "Glob", input: at("path", { pattern: "**/*.ts" }), showsNames: true },
  { client: "claude-code", tool: "Grep", input: at("path", { pattern: "TODO", output_mode: "content" }) },
  { client: "claude-code", tool: "LS", input: at("path"), showsNames: true },
  {
    client: "cursor",
    tool: "Glob",
    input: at("target_directory", { glob_pattern: "**/*.ts" }),
    showsNames: true,
  },
  { client: "cursor", tool: "Grep", input: at("path", { pattern: "TODO" }) },
  { client: "cursor", tool: "LS", input: at("target_directory"), showsNames: true },
  { client: "gemini-cli", tool: "glob", input: at("dir_path", { pattern: "**/*.ts" }), showsNames: true },
  { client: "gemini-cli", tool: "grep_search", input: at("dir_path", { pattern: "TODO" }) },
  { client: "gemini-cli", tool: "list_directory", input: at("dir_path"), showsNames: true },
];

const decide = (client: HookClientName, tool: string, input: Payload) =>
  verdict(client, ownTool(client, bench, { tool, input }), bench);

/** Cursor cannot ask here. */
const asking = (client: HookClientName) => (client === "cursor" ? "deny" : "ask");

describe.each(SEARCHES)("$client: $tool", ({ client, tool, input, showsNames }) => {
  test("is allowed in a tree without protected files", async () => {
    expect((await decide(client, tool, input())).action).toBe("allow");
    expect((await decide(client, tool, input(join(bench.project, "src")))).action).toBe("allow");
  });

  test("is refused if it would read a file that rules deny, and names the file; names are shown", async () => {
    bench.write("src/deep/down/.netrc", "secret");
    const answer = await decide(client, tool, input(join(bench.project, "src")));
    expect(answer.action).toBe(showsNames === true ? "allow" : "deny");
    if (showsNames !== true) expect(answer.text).toContain("src/deep/down/.netrc");
  });

  test("asks outside of the project, and is denied in a protected tree", async () => {
    expect((await decide(client, tool, input(bench.home))).action).toBe(asking(client));
    expect((await decide(client, tool, input(join(bench.home, ".ssh")))).action).toBe("deny");
  });
});

describe("a client's search of contents", () => {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: bench.project });
  const grep = (input: Payload = {}) => decide("claude-code", "Grep", { pattern: "x", ...input });

  test("that would print a secret is refused, with the argument that leaves it out, and reads nothing", async () => {
    bench.write(".env", "KEY=1");
    const answer = await grep();
    expect(answer.action).toBe("deny");
    expect(answer.text).toContain("/.env");
    expect(answer.text).toContain('needs no approval: glob: "!.env"');
    expect((await grep({ glob: "!.env" })).action).toBe("allow");
    bench.write("config/secrets.yml", "x");
    const two = await grep();
    expect(two.text).toContain('glob: "!{.env,secrets.yml}"');
    expect((await grep({ glob: "!{.env,secrets.yml}" })).action).toBe("allow");
    expect((await grep({ glob: "!.env" })).action).toBe("ask");
    expect((await grep({ glob: "*.ts" })).action).toBe("allow");
    expect((await grep({ path: "src" })).action).toBe("allow");
  });

  test("skips what git ignores, as ripgrep does, unless a glob or another file brings it back", async () => {
    bench.write(".env", "KEY=1");
    bench.write("packages/a/.env.local", "KEY=1");
    git("init", "-q", ".");
    bench.write(".gitignore", "# secrets\n.env*\n!.env.example\nnode_modules/\n");
    expect((await grep()).action).toBe("allow");
    expect((await grep({ path: "packages" })).action).toBe("allow");
    expect((await grep({ path: "packages/a" })).action).toBe("allow");
    expect((await grep({ glob: "*" })).action).not.toBe("allow");
    expect((await grep({ glob: "packages/**" })).action).not.toBe("allow");
    bench.write("packages/.ignore", "!.env.local\n");
    expect((await grep()).action).not.toBe("allow");
    bench.write("packages/.ignore", "");
    bench.write("packages/a/.gitignore", "!.env.local\n");
    expect((await grep()).action).not.toBe("allow");
  });

  test("a repository within has none of the rules from above", async () => {
    git("init", "-q", ".");
    bench.write(".gitignore", ".env\n");
    bench.write("vendor/x/.env", "KEY=1");
    expect((await grep()).action).toBe("allow");
    mkdirSync(join(bench.project, "vendor/x/.git"));
    expect((await grep()).action).toBe("deny");
  });

  test("marks the conversation only if it read something protected", async () => {
    const fetching = { url: "https://nodejs.org/api/", prompt: "x" };
    const one = async (conversation: string, tool: string, input: Payload) => {
      const payload = {
        ...ownTool("claude-code", bench, { tool, input }),
        session_id: conversation,
        permission_mode: undefined,
      };
      const { stdout } = await runHook({
        client: "claude-code",
        text: JSON.stringify(payload),
        environment: { CLAUDE_PROJECT_DIR: bench.project },
      });
      // What the recommended rules allow is left to the client.
      return JSON.parse(stdout).hookSpecificOutput ?? { permissionDecision: "allow" };
    };
    const action = async (...call: Parameters<typeof one>) => (await one(...call)).permissionDecision;
    for (const input of [{ pattern: "x" }, { pattern: "x", path: "src" }, { pattern: "x", glob: "*.ts" }])
      expect(await action("a", "Grep", input)).toBe("allow");
    expect(await action("a", "Glob", { pattern: "**/*" })).toBe("allow");
    expect(await action("a", "WebFetch", fetching)).toBe("allow");
    bench.write(".env", "KEY=1");
    expect(await action("a", "Grep", { pattern: "x" })).toBe("deny");
    expect(await action("a", "WebFetch", fetching)).toBe("allow");
    expect(await action("a", "Grep", { pattern: "x", glob: ".env*" })).toBe("ask");
    expect(await action("a", "WebFetch", fetching)).toBe("ask");
    const { permissionDecisionReason: reason } = await one("a", "Bash", {
      command: "curl https://a.example/x",
    });
    expect(reason).toContain("It could send private data away: step 8 reads");
    expect(reason).toContain("/.env");
    expect(reason).toContain("step 5 fetches from nodejs.org");
  });
});

test("links are not followed", async () => {
  mkdirSync(join(bench.home, "other"));
  writeFileSync(join(bench.home, "other/.netrc"), "secret");
  symlinkSync(join(bench.home, "other"), join(bench.project, "src/link"));
  expect((await decide("claude-code", "Grep", { pattern: "x", path: "src" })).action).toBe("allow");
});

describe("the pattern of a search decides where it reads", () => {
  test.each([
    "/etc/**",
    "/**/*.conf",
    "../../**",
    "~/**",
    "{/etc,src}/**",
    "src/*/../../../**",
    "@(/etc|src)/*",
  ])("%s leads out of the project", async (pattern) => {
    expect((await decide("claude-code", "Glob", { pattern })).action).toBe("ask");
    expect((await decide("gemini-cli", "glob", { pattern })).action).toBe("ask");
    expect((await decide("cursor", "Glob", { glob_pattern: pattern })).action).toBe("deny");
  });

  test("names are shown as `ls` and `find` show them, except in a tree that is denied as a whole", async () => {
    bench.write(".netrc", "secret");
    expect((await decide("claude-code", "Glob", { pattern: "src/**/*.ts" })).action).toBe("allow");
    expect((await decide("claude-code", "Glob", { pattern: "**/*.ts" })).action).toBe("allow");
    expect((await decide("claude-code", "Glob", { pattern: ".ssh/**" })).action).toBe("deny");
  });

  test("a filter that names a secret file reads it", async () => {
    const grep = (glob: string) => decide("claude-code", "Grep", { pattern: "x", glob });
    for (const glob of [".env", ".e*", "*.pem", "**/.env.local"])
      expect((await grep(glob)).action).toBe("ask");
    expect((await grep(".netrc")).action).toBe("deny");
    for (const glob of ["*.ts", "**/*.{json,md}", "*"]) expect((await grep(glob)).action).toBe("allow");
  });

  test("each pattern of a list decides where it reads", async () => {
    const many = (...include: readonly string[]) => decide("gemini-cli", "read_many_files", { include });
    expect((await many("src/**/*.ts", "docs/*.md")).action).toBe("allow");
    expect((await many("src/**/*.ts", "/etc/*")).action).toBe("ask");
    expect((await many("src/a.ts", ".env")).action).toBe("ask");
  });
});

test.each([
  ["src/**/*.ts", "src"],
  ["**/*", ""],
  ["/etc/*", "/etc"],
  ["/*/x", "/"],
  ["../x/*", "../x"],
  ["src/a.ts", "src/a.ts"],
  ["a/{b,../../c}/*", undefined],
  ["*/../..", undefined],
])("all matches of %s are in %s", (pattern, part) => {
  expect(searchedPart(pattern)).toBe(part);
});
