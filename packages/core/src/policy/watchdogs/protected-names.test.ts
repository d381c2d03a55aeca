import { describe, expect, test } from "vitest";
import { type Effect, effect, fsDelete, fsRead, fsWrite } from "../../contract/call/effect.ts";
import { isProtectedName, isSecretFile } from "../../file-names/name-class.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { protectedNames } from "./protected-names.ts";

const watchdog = protectedNames();

function evaluate(...effects: readonly Effect[]) {
  return watchdog.evaluate(policyCall({ tool: "t", effects }), policyContext());
}

function asks(...effects: readonly Effect[]): boolean {
  const verdict = evaluate(...effects);
  return "action" in verdict && verdict.action === "ask";
}

const PROTECTED = [
  "/repo/.git/hooks/pre-commit",
  "/repo/.git/config",
  "/repo/.git/info/attributes",
  "/repo/sub/.git/config",
  "/repo/.git",
  "/repo/HEAD",
  "/repo/hooks/post-checkout",
  "/repo/.gitmodules",
  "/repo/.gitattributes",
  "/repo/.vscode/settings.json",
  "/repo/.idea/workspace.xml",
  "/repo/.mcp.json",
  "/repo/.cursor/mcp.json",
  "/repo/.claude/settings.json",
  "/repo/.gemini/settings.json",
  "/repo/.codex/config.toml",
  "/repo/.agent/permissions.json",
  "/repo/.toolkeep/policy.yaml",
  "/repo/toolkeep.yaml",
  "/repo/.envrc",
  "/repo/.npmrc",
  "/repo/.yarnrc.yml",
  "/repo/.husky/pre-commit",
  "/repo/.pre-commit-config.yaml",
  "/repo/lefthook.yml",
  "/repo/.github/workflows/ci.yml",
  "/repo/.gitlab-ci.yml",
  "/repo/.circleci/config.yml",
  "/home/ada/.bashrc",
  "/home/ada/.profile",
  "/home/ada/.zshenv",
  "/home/ada/.gitconfig",
  "/home/ada/.ripgreprc",
  "/home/ada/.ssh/authorized_keys",
  "/home/ada/.gnupg/gpg.conf",
  "/home/ada/.aws/config",
  "/home/ada/.config/fish/config.fish",
  "/etc/hosts",
  "/usr/bin/node",
  "/bin/sh",
  "/boot/grub/grub.cfg",
  "/proc/sys/kernel/core_pattern",
  "/sys/kernel/x",
  "/dev/sda",
  "C:\\Windows\\System32\\drivers\\etc\\hosts",
];

const EVERYDAY = [
  "/repo/src/index.ts",
  "/repo/package.json",
  "/repo/Makefile",
  "/repo/README.md",
  "/repo/AGENTS.md",
  "/repo/.gitignore",
  "/repo/.github/ISSUE_TEMPLATE/bug.md",
  "/repo/src/hooks/use-user.ts",
  "/repo/src/hooks/update.ts",
  "/repo/app/[id]/page.tsx",
  "/repo/src/git/config.ts",
  "/repo/.env.example",
  "/repo/.env.sample",
  "/repo/src/id_map.py",
  "/repo/src/index.ts.bak",
  "/repo/src/.index.ts.swp",
  "/repo/src/keys.ts",
  "/repo/src/keyrings/a.ts",
  "/repo/.docker/nginx.conf",
  "/repo/src/history.ts",
  "/repo/docs/etc/notes.md",
  "/usr/src/app/index.js",
  "/tmp/out.txt",
  "/dev/null",
];

const SECRET = [
  "/repo/.env",
  "/repo/.env.production",
  "/repo/config/prod.env",
  "/repo/server.pem",
  "/repo/certs/tls.key",
  "/home/ada/.ssh/id_ed25519",
  "/home/ada/id_rsa",
  "/home/ada/.netrc",
  "/home/ada/.npmrc",
  "/home/ada/.pypirc",
  "/home/ada/.git-credentials",
  "/home/ada/.aws/credentials",
  "/home/ada/.kube/config",
  "/home/ada/.config/gcloud/credentials.db",
  "/home/ada/.docker/config.json",
  "/home/ada/.bash_history",
  "/home/ada/.local/share/fish/fish_history",
  "/Users/ada/Library/Keychains/login.keychain-db",
  "/etc/shadow",
  "/proc/self/environ",
  "/proc/1/task/1/environ",
  "/repo/.env~",
  "/repo/#.env#",
  "/repo/..env.swp",
  "/repo/.env.swp",
  "/home/ada/id_rsa.bak",
  "/home/ada/.id_rsa.swp",
  "/repo/server.pem.old",
  "/repo/server.pem.orig~",
  "/repo/secrets.yml.save",
  "/etc/shadow.backup",
  "/repo/kubeconfig",
  "/repo/prod.kubeconfig",
  "/repo/terraform.tfvars",
  "/repo/prod.auto.tfvars.json",
  "/repo/terraform.tfstate.backup",
  "/repo/my-service-account-key.json",
  "/home/ada/.dockercfg",
];

describe("paths", () => {
  test.each(PROTECTED)("%s is not changed without asking", (path) => {
    expect([asks(fsWrite(path)), asks(fsDelete(path)), asks(effect("fs.move", path))]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test.each(EVERYDAY)("%s is an everyday file", (path) => {
    expect([asks(fsRead(path)), asks(fsWrite(path)), asks(fsDelete(path))]).toEqual([false, false, false]);
  });

  test.each(SECRET)("%s is not read or changed without asking", (path) => {
    expect([isSecretFile(path), asks(fsRead(path)), asks(fsWrite(path))]).toEqual([true, true, true]);
  });

  test("a public key and protected configuration may be read", () => {
    expect(asks(fsRead("/home/ada/.ssh/id_ed25519.pub"))).toBe(false);
    expect(asks(fsRead("/repo/.git/config"), fsRead("/repo/.github/workflows/ci.yml"))).toBe(false);
  });

  test.each([
    "/repo/.Git/config",
    "/repo/.GIT/Hooks/Pre-Commit",
    "/repo/.g\u200Bit/config",
    "/repo/.gi\u200Dt/config",
    "/repo/.git./config",
    "/repo/.git /config",
    "/repo/.git::$INDEX_ALLOCATION/config",
    "/repo/GIT~1/config",
    "/repo/.Cursor/MCP.json",
    "/repo\\.git\\config",
    "/repo/.claude/./settings.json",
  ])("%j is known however it is written", (path) => {
    expect(isProtectedName(path)).toBe(true);
  });

  test.each(["/repo/.ENV", "/repo/.env.", "/repo/.env::$DATA", "/repo/.e\uFEFFnv", "/x/.\u017Fsh/config"])(
    "%j is a secret however it is written",
    (path) => {
      expect(isSecretFile(path)).toBe(true);
    },
  );

  test("a path that is too long to look at is all that it could be", () => {
    const path = `/repo/${"a/".repeat(5_000)}x`;
    expect([isProtectedName(path), isSecretFile(path)]).toEqual([true, true]);
  });

  test("deleting everything asks", () => {
    expect(["/", "/repo", "/home/ada"].map((path) => asks(fsDelete(path)))).toEqual([true, true, true]);
    expect(asks(fsDelete("/repo/src"))).toBe(false);
  });
});

describe("patterns", () => {
  test.each([
    "/repo/.git/*",
    "/repo/.g*/config",
    "/repo/**",
    "/repo/*",
    "/repo/{src,.git}/x",
    "/repo/{.husky/x,a}",
  ])("writing %s asks, because it may stand for a protected name", (pattern) => {
    expect(asks(fsWrite(pattern))).toBe(true);
  });

  test.each([
    "/repo/.e*",
    "/repo/.en?",
    "/repo/.env.p*",
    "/repo/**/*.pem",
    "/home/ada/.ss?/**",
    "/repo/{a,.env}",
  ])("reading %s asks, because it may stand for a secret", (pattern) => {
    expect(asks(fsRead(pattern))).toBe(true);
  });

  test.each(["/repo/**/*.ts", "/repo/src/*.json", "/repo/src/{a,b}.ts"])(
    "%s stands for no such thing",
    (pattern) => {
      expect(asks(fsRead(pattern))).toBe(false);
    },
  );

  test("a folder in a pattern of a shell is no hidden one", () => {
    const byShell = (pattern: string) => asks({ ...fsWrite(pattern), visible: true });
    expect(asks(fsWrite("/repo/packages/*/dist"))).toBe(true);
    for (const pattern of ["/repo/packages/*/dist", "/repo/*/src/*.ts"]) expect(byShell(pattern)).toBe(false);
    for (const pattern of [
      "/repo/*",
      "/repo/**/dist",
      "/repo/*/pre-commit",
      "/repo/*/bazel",
      "/repo/*/.git/x",
    ])
      expect(byShell(pattern), pattern).toBe(true);
  });

  test("too many alternatives are all that they could be", () => {
    expect(asks(fsRead(`/repo/${"{a,b}".repeat(12)}`))).toBe(true);
  });
});

test("the reason names the file, on one line and not too long", () => {
  expect(evaluate(fsRead("/repo/src/a.ts"), fsWrite("/repo/.git/config"))).toEqual({
    action: "ask",
    reason: '"/repo/.git/config" is protected: it decides what is run or who may do what.',
  });
  const verdict = evaluate(fsWrite(`/repo/.git/\n${"x".repeat(1_000)}`));
  expect(verdict).toMatchObject({ reason: expect.stringMatching(/^.{1,300}$/) });
});

test("it denies where it is told to", () => {
  const call = policyCall({ tool: "t", effects: [fsWrite("/repo/.env")] });
  expect(protectedNames("deny").evaluate(call, policyContext())).toMatchObject({ action: "deny" });
});
