import { tmpdir } from "node:os";
import { type Effect, ToolFailure } from "@toolkeep/core";
import type { Grant, IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { expect, test } from "vitest";
import type { CommandParts } from "./command-parts.ts";
import { checkedEnvironment, prepareCommand } from "./prepare-command.ts";
import { shellGrant } from "./shell-grant.test.kit.ts";

const NOTE = "Hidden in the sandbox because of policy: private.";

async function noteWith(isolation: IsolationLevel): Promise<string | undefined> {
  const grant = { abortSignal: new AbortController().signal, check() {} } as unknown as Grant;
  const sandbox: Sandbox = {
    name: "test",
    isolation,
    wrap: (argv, { environment, cwd }) => Promise.resolve({ argv, environment, cwd }),
  };
  const nothing = { read: [], write: [], guarded: [], hidden: [], hosts: [], environment: {} };
  const sandboxProfileFor = () => Promise.resolve({ ...nothing, cwd: tmpdir(), note: NOTE });
  const parts = { sandbox, sandboxProfileFor } as unknown as CommandParts;
  return (await prepareCommand({ argv: ["true"] }, grant, parts)).note?.();
}

test("what policy masks is reported only if the sandbox was proven to isolate files", async () => {
  expect(await noteWith("files")).toBe(NOTE);
  expect(await noteWith("files-and-network")).toBe(NOTE);
  expect(await noteWith("none")).toBeUndefined();
});

const asked: Effect[] = [];

const grant = shellGrant({
  check(access) {
    asked.push(access);
    if (access.target === "UNDECLARED_TOKEN") throw new ToolFailure("out_of_scope", "not declared");
  },
});

test.each([
  "LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_DIR PATH",
  "GIT_EXTERNAL_DIFF GIT_EXEC_PATH PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS IFS PS4",
  "_JAVA_OPTIONS npm_config_script_shell NPM_CONFIG_PREFIX PAGER MANPAGER EDITOR VISUAL LESSOPEN SSH_ASKPASS HOME",
  "DYLD_INSERT_LIBRARIES https_proxy HTTP_PROXY ALL_PROXY BASH_FUNC_ls SHELLOPTS PROMPT_COMMAND RUSTC_WRAPPER",
  "TOOLKEEP_COMMAND GOFLAGS CARGO_HOME XDG_CONFIG_HOME SSL_CERT_FILE CURL_HOME DOCKER_HOST KUBECONFIG GCONV_PATH",
  "TAR_OPTIONS RIPGREP_CONFIG_PATH WGETRC PERLLIB MAVEN_OPTS GRADLE_OPTS FZF_DEFAULT_OPTS R_PROFILE_USER ERL_FLAGS",
  "RSYNC_RSH VIMINIT CFLAGS TMPDIR PIP_INDEX_URL GIT_TOKEN NPM_TOKEN UV_PASSWORD WHATEVER_NOBODY_KNOWS lang Lc_ALL",
])("no tool may set %s", (names) => {
  for (const name of names.split(" "))
    expect(() => checkedEnvironment({ [name]: "x" }, grant), name).toThrow(
      `${name} might change what the command runs or loads, so no tool may set it.`,
    );
});

test("[C68] what is declared may be set, and is asked about by name; the rest may not", () => {
  const given = {
    CI: "1",
    API_TOKEN: "x",
    AWS_ACCESS_KEY_ID: "y",
    FORCE_COLOR: "1",
    GIT_AUTHOR_NAME: "a",
    LANG: "C",
    LC_ALL: "C.UTF-8",
    NODE_ENV: "test",
    NO_COLOR: "1",
    TZ: "UTC",
  };
  asked.length = 0;
  expect(checkedEnvironment(given, grant)).toEqual(given);
  expect(asked).toEqual(Object.keys(given).map((target) => ({ capability: "env.read", target })));
  expect(() => checkedEnvironment({ UNDECLARED_TOKEN: "x" }, grant)).toThrow("not declared");
});

test("there are bounds, and no secret text in a refusal", () => {
  expect(() => checkedEnvironment({ CI: "x".repeat(70_000) }, grant)).toThrow(
    /^The environment value CI is longer/,
  );
  const many = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`N${index}`, ""]));
  expect(() => checkedEnvironment(many, grant)).toThrow("128 environment values at most");
  expect(() => checkedEnvironment({ CI: "secret\0" }, grant)).toThrow(
    "The environment value CI is not text.",
  );
});
