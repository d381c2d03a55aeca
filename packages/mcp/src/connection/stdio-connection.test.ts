import { afterEach, expect, test } from "vitest";
import { connect } from "./connect.ts";
import { callText, closeAll, connected, isAlive, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("a program that knows only the older revision is spoken to, and says what it is", async () => {
  const connection = await connected(scripted());
  expect(connection.status).toMatchObject({ state: "ready", failures: 0 });
  expect(connection.server).toMatchObject({
    ...{ name: "scripted", version: "1.2.3", generation: "legacy", protocolVersion: "2025-06-18" },
    instructions: "Be kind.",
  });
  expect(await callText(connection, "echo", { text: "hello" })).toBe("hello");
  expect((await connection.listTools()).map(({ name }) => name)).toContain("echo");
  expect(await connection.listPrompts()).toEqual([]);
  expect(await connection.listResourceTemplates()).toEqual([]);
});

test("a program that ends at the unknown first request is started once more as an older one", async () => {
  const connection = await connected(scripted("exits"));
  expect(connection.status).toMatchObject({ state: "ready", failures: 0 });
  expect(await callText(connection, "echo", { text: "here" })).toBe("here");
});

test("its environment is what programs need, what its entry says, and nothing else of ours", async () => {
  const environment = { ...process.env, LC_ALL: "C", OUR_TOKEN: "abc", SHELL: "() { :; }" };
  const connection = await connected(scripted("legacy", { env: { GIVEN: "yes" }, cwd: "/" }), {
    environment,
  });
  const seen = JSON.parse(await callText(connection, "environment"));
  const { TOOLKEEP_SERVER: marker, ...others } = seen;
  expect(marker).toMatch(/^[\da-f-]{36}$/);
  expect(others).toMatchObject({ GIVEN: "yes", LC_ALL: "C", PATH: process.env["PATH"] });
  for (const name of Object.keys(others))
    expect(name).toMatch(
      /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|USER|GIVEN|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_PROXY)$/i,
    );
  expect(await callText(connection, "folder")).toBe("/");
});

test("closing ends the whole tree, with those that went astray and those that do not listen", async () => {
  const connection = await connected(scripted());
  const pids: number[] = JSON.parse(await callText(connection, "family"));
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  await connection.close();
  expect(pids.map(isAlive)).toEqual([false, false, false]);
  expect(connection.status.state).toBe("closed");
  await connection.close();
});

test("a program that was killed is started again; what was under way fails, and says that is unknown", async () => {
  const connection = await connected(scripted());
  const told: string[] = [];
  connection.watch((change) => told.push(change));
  const sleeping = callText(connection, "sleep", { ms: 60_000 });
  await callText(connection, "crash").catch(() => {});
  await expect(sleeping).rejects.toMatchObject({
    code: "unavailable",
    transient: false,
    message: expect.stringContaining("unknown"),
  });
  expect(connection.status).toMatchObject({ state: "waiting", failures: 1 });
  expect(connection.status.reason).toContain("SIGKILL");
  await expect(callText(connection, "echo")).rejects.toMatchObject({ code: "unavailable", transient: true });
  await until(() => connection.status.state === "ready");
  expect(told).toContain("status");
  await until(() => told.includes("tools"));
  expect(await callText(connection, "echo", { text: "again" })).toBe("again");
});

test("a program that is not there is tried again and again, and the reason is told", async () => {
  const connection = await connected(scripted("legacy", { command: "/no/such/program" }));
  expect(connection.status).toMatchObject({ state: "waiting", failures: 1 });
  expect(connection.status.reason).toContain("/no/such/program");
  await until(() => connection.status.failures > 2);
  await expect(connection.listTools()).rejects.toMatchObject({ code: "unavailable" });
});

test("the first new attempt is due after a second, where nothing else was said", async () => {
  const begun = Date.now();
  const connection = connect(scripted("legacy", { command: "/no/such/program" }));
  await connection.tried;
  const { nextAttemptAt = 0 } = connection.status;
  expect(nextAttemptAt).toBeGreaterThanOrEqual(begun + 1_000);
  expect(nextAttemptAt).toBeLessThanOrEqual(Date.now() + 1_000);
  await connection.close();
});

test("the reason holds the last words of a program, without the values of its entry", async () => {
  const entry = scripted("legacy", { env: { SECRET_VALUE: "very-secret-value" } });
  const connection = await connected(entry);
  await callText(connection, "crash").catch(() => {});
  expect(connection.status.reason).toContain("started with");
  expect(connection.status.reason).not.toContain("very-secret-value");
});
