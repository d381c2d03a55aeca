import { describe, expect, test } from "vitest";
import { decidesWhatRuns } from "../tools/servers/code-loading-names.ts";
import { hideValues } from "./hide-values.ts";
import { canBeRead, movedLines } from "./moved-servers.ts";

const shown = (value: unknown) => JSON.parse(hideValues(JSON.stringify(value)));
const SERVER = { command: "sh", args: ["-c", "touch /tmp/x; exec cat"] };

describe("secret values are hidden", () => {
  test.each(["env", "headers", "auth", "oauth", "requestInit", "ENV"])(
    "but not the command of a server with the name %s",
    (name) => {
      for (const key of ["mcpServers", "servers"])
        expect(shown({ [key]: { [name]: SERVER } })).toEqual({ [key]: { [name]: SERVER } });
    },
  );

  test("in the environment, headers and login of a server, and their names are shown", () => {
    const server = {
      ...SERVER,
      env: { GITHUB_TOKEN: "t0ps3cret", LOG: `\${AWS_SECRET_ACCESS_KEY}`, X: `\${Y:-t0ps3cret}` },
      headers: { Authorization: "Bearer t0ps3cret" },
      oauth: { clientSecret: "t0ps3cret", nested: ["t0ps3cret", { deep: "t0ps3cret" }] },
      requestInit: { headers: { "X-Key": "t0ps3cret" } },
    };
    const text = hideValues(JSON.stringify({ mcpServers: { a: server }, env: { OWN: "t0ps3cret" } }));
    expect(text).not.toContain("t0ps3cret");
    for (const name of ["GITHUB_TOKEN", "Authorization", "clientSecret", "X-Key", "OWN", "touch /tmp/x"])
      expect(text).toContain(name);
    // The user must see which of their own variables a server receives.
    expect(text).toContain(`\${AWS_SECRET_ACCESS_KEY}`);
  });

  test("but not if they load code, or if an environment contains a command", () => {
    const env = {
      NODE_OPTIONS: "--require=/tmp/evil.js",
      npm_config_registry: "https://evil.test",
      LD_PRELOAD: "/tmp/e.so",
    };
    const inner = { env: { ...env, auth: { command: "evil", args: ["x"] } } };
    expect(shown({ mcpServers: { a: inner } })).toEqual({ mcpServers: { a: inner } });
  });

  test("but the scheme and host of a URL are shown", () => {
    const env = {
      ANTHROPIC_BASE_URL: "https://evil.test/v1/t0ps3cret?key=t0ps3cret#t0ps3cret",
      AWS_ENDPOINT_URL: "https://u:t0ps3cret@evil.test:8443/",
      DATABASE_URL: "postgres://u:t0ps3cret@db.test:5432/t0ps3cret",
      JDBC: "jdbc:postgresql://db.test/x?password=t0ps3cret",
      SLOPPY: "https:\\\\evil.test\\t0ps3cret",
      SLOPPIER: "https:evil.test/t0ps3cret",
      AMONG: "t0ps3cret, see https://evil.test/t0ps3cret",
      LIKE: "https://\u0261ithub.com/t0ps3cret",
      DEFAULT: `\${X:-https://evil.test/t0ps3cret}`,
      DEFAULT_HOST: `https://\${X:-evil.test}/t0ps3cret`,
      GITHUB_HOST: "evil.test:8080",
      SOME_PASSWORD: "t0ps3cret.t0ps3cret",
      ODD: "postgres://t0ps:1/3cret@db.test/",
    };
    expect(shown({ env })).toEqual({
      env: {
        ANTHROPIC_BASE_URL: "… https://evil.test",
        AWS_ENDPOINT_URL: "… https://evil.test:8443",
        DATABASE_URL: "… postgres://db.test:5432",
        JDBC: "… postgresql://db.test",
        SLOPPY: "… https://evil.test",
        SLOPPIER: "… https://evil.test",
        AMONG: "… https://evil.test",
        LIKE: "… https://xn--ithub-qmc.com",
        DEFAULT: `… https://evil.test \${X:-…}`,
        DEFAULT_HOST: `… https://evil.test \${X:-…}`,
        GITHUB_HOST: "… evil.test:8080",
        SOME_PASSWORD: "…",
        ODD: "… postgres://t0ps",
      },
    });
    const server = {
      oauth: { authServerMetadataUrl: "https://evil.test/x" },
      auth: { tokenUrl: "https://evil.test/x", helper: "sh -c evil" },
      requestInit: { proxy: "http://u:p@evil.test", method: "t0ps3cret" },
      headers: { Host: "evil.test", Authorization: "Bearer t0ps3cret" },
    };
    expect(shown({ mcpServers: { a: server } }).mcpServers.a).toEqual({
      oauth: { authServerMetadataUrl: "… https://evil.test" },
      auth: { tokenUrl: "… https://evil.test", helper: "sh -c evil" },
      requestInit: { proxy: "… http://evil.test", method: "…" },
      headers: { Host: "… evil.test", Authorization: "…" },
    });
  });

  test("in hooks, and nowhere else in a file", () => {
    const hook = { type: "http", url: "https://h.test", headers: { A: "t0ps3cret" }, command: "c" };
    const settings = {
      hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] },
      deep: { env: { A: "seen" } },
    };
    expect(hideValues(JSON.stringify(settings))).not.toContain("t0ps3cret");
    expect(hideValues(JSON.stringify(settings))).toContain("seen");
  });
});

test.each([
  ...[
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "PATH",
    "Path",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "BASH_ENV",
    "ENV",
  ],
  ...[
    "npm_config_registry",
    "NPM_CONFIG_PREFIX",
    "PERL5OPT",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "GIT_SSH_COMMAND",
    "NODE_PATH",
  ],
  ...[
    "GIT_CONFIG_VALUE_0",
    "https_proxy",
    "DOTNET_STARTUP_HOOKS",
    "RUSTC_WRAPPER",
    "OPENSSL_CONF",
    "GIT_ASKPASS",
  ],
  ...[
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "VIMINIT",
    "CLAUDE_CODE_SHELL_PREFIX",
    "ES_JAVA_OPTS",
    "LEIN_JVM_OPTS",
    "JVM_OPTS",
    "SBT_OPTS",
    "CFLAGS",
    "PUPPETEER_EXECUTABLE_PATH",
    "PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH",
    "GCC_EXEC_PREFIX",
    "KUBE_EDITOR",
    "CHROME_BIN",
    "REQUESTS_CA_BUNDLE",
    "RIPGREP_CONFIG_PATH",
  ],
])("the value of %s is part of the command", (name) => {
  expect(decidesWhatRuns(name)).toBe(true);
});

test.each([
  "GITHUB_TOKEN",
  "NODE_AUTH_TOKEN",
  "UV_INDEX_X_PASSWORD",
  "API_KEY",
  "DATABASE_URL",
  "npm_config__authToken",
  "GIT_TOKEN_HELPER",
  "DB_PASSWORD_CMD",
  "STRIPE_API_KEY",
])("the value of %s is not shown", (name) => {
  expect(decidesWhatRuns(name)).toBe(false);
});

describe("a moved server is shown as it is accepted", () => {
  test("with its command, the variables that load code, and its URL without the password", () => {
    const env = { NODE_OPTIONS: "--require=./evil.js", TOKEN: "t0ps3cret", LOG: `\${HOME}` };
    const lines = movedLines("a", {
      ...SERVER,
      cwd: "/x",
      env,
      url: "https://u:t0ps3cret@\u0261ithub.com/x",
    });
    expect(lines).toEqual([
      "a:",
      '  sh -c "touch /tmp/x; exec cat"',
      "  in /x",
      "  code from whatever sh loads by these arguments, also from the folder that it is started in. The environment may change that: NODE_OPTIONS.",
      "  environment: NODE_OPTIONS, TOKEN, LOG",
      "    NODE_OPTIONS=--require=./evil.js",
      `    LOG="… \${HOME}"`,
      "  https://u:[redacted:url-password]@xn--ithub-qmc.com/x",
    ]);
  });

  test("with only the tokens in its arguments replaced", () => {
    const args = ["--token", `ghp_${"a1B2".repeat(9)}`, "--then", "run"];
    expect(movedLines("a", { command: "x", args })[1]).toBe("  x --token [redacted:github-token] --then run");
  });

  test("on one line, with invisible characters escaped", () => {
    const [, line] = movedLines("a", { command: "x\u001b[2K", args: ["\u202eb", "a\nyes", 7, { n: 1 }] });
    expect(line).toBe('  "x\\u001b[2K" "<U+202E>b" "a\\nyes" 7 "{\\"n\\":1}"');
  });

  test("and cannot be accepted if it is too long to show", () => {
    expect(canBeRead("a", SERVER)).toBe(true);
    expect(canBeRead("a", { command: "sh", args: ["-c", "x".repeat(20_000)] })).toBe(false);
    expect(canBeRead("a", { command: "sh", env: { NODE_OPTIONS: "x".repeat(20_000) } })).toBe(false);
  });
});
