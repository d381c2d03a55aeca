import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stopAll } from "../../packages/mcp/src/connection/http-server.test.kit.ts";
import {
  type OAuthServer,
  oauthServer,
} from "../../packages/mcp/src/connection/oauth/oauth-server.test.kit.ts";
import { acceptServers } from "./accept-servers.ts";
import { OWN_COMMAND, OWN_LINE, runProgram } from "./cli-bench.ts";
import { type LoginBench, loginBench } from "./login-bench.ts";

let server: OAuthServer;
let bench: LoginBench;

beforeEach(async () => {
  server = await oauthServer();
  bench = loginBench(server);
  await acceptServers(bench, ["docs"]);
});
afterEach(async () => {
  await stopAll();
  bench.remove();
});

test("only the owner can read a stored login, and the gateway uses it", async () => {
  const login = await bench.run("login", "docs", "--yes");
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining("docs: Logged in") });
  const { host, origin } = new URL(server.url);
  expect(login.stderr).toContain(`wants you to log in at ${host}`);
  expect(login.stderr).toContain(`${origin}/authorize?`);
  expect(server.log).toEqual(["register", "authorize", "token authorization_code"]);

  expect(statSync(bench.loginsFile).mode & 0o777).toBe(0o600);
  const { tokens } = JSON.parse(readFileSync(bench.loginsFile, "utf8"))[server.url];
  expect(login.stdout + login.stderr).not.toContain(tokens.access_token);
  expect((await bench.served()).names.some((name) => name.startsWith("docs_"))).toBe(true);
});

test("an expired token is renewed without the user, until a logout", async () => {
  await bench.run("login", "docs", "--yes");
  server.expire();
  expect((await bench.run("login", "docs", "--yes")).stdout).toContain("already");
  expect(server.log.at(-1)).toBe("token refresh_token");
  expect(await bench.run("logout", "docs")).toMatchObject({ code: 0 });
  expect(readFileSync(bench.loginsFile, "utf8")).toBe("{}");
  expect(await bench.statusOfDocs()).toMatchObject({ state: "refused" });
  expect(await bench.run("logout", server.url)).toMatchObject({ code: 1, stdout: "" });
});

test("without a browser the URL is printed, and opening it logs in", async () => {
  const [program, ...first] = OWN_COMMAND;
  const child = spawn(program, [...first, "servers", "login", "docs", "--yes"], {
    cwd: bench.project,
    env: { ...bench.env, PATH: join(bench.base, "nothing") },
    timeout: 30_000,
  });
  let stderr = "";
  let opened: Promise<number> | undefined;
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
    const page = /^(http\S+)\n/m.exec(stderr)?.[1];
    if (page !== undefined) opened ??= statusOf(page);
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(await opened).toBe(200);
  expect(stderr).toContain("No browser could be opened");
  expect(existsSync(bench.loginsFile)).toBe(true);
});

const statusOf = (page: string) =>
  fetch(page).then(
    ({ status }) => status,
    () => 0,
  );

/** Runs a program in a terminal. */
const script = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "script"))
  .find((path) => process.platform === "linux" && existsSync(path));

test.skipIf(script === undefined)(
  "in a terminal the user is asked, and a no opens nothing (skipped without `script`)",
  async () => {
    const line = `${OWN_LINE} servers login docs`;
    const outcome = await runProgram([script ?? "", "-qec", line, "/dev/null"], {
      cwd: bench.project,
      env: bench.env,
      stdin: "n\n",
    });
    expect(outcome.stdout).toContain(`Open a browser at ${new URL(server.url).host}? [y/N]`);
    expect(outcome.code).toBe(3);
    expect(server.log).not.toContain("authorize");
  },
);
