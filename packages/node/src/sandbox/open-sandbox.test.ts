import type { Sandbox } from "@toolkeep/core/ports";
import { afterAll, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "./bubblewrap/bubblewrap.ts";
import { installationAdvice } from "./host/installation.ts";
import { hostReportText, inspectHost } from "./inspect-host.ts";
import { noSandbox, openSandbox } from "./open-sandbox.ts";
import { probeSandbox } from "./probe/probe-sandbox.ts";
import { closeSandboxRuntime } from "./sandbox-runtime.ts";
import { run, TEST_USER } from "./testing/sandboxed-workspace.test.kit.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

afterAll(() => closeSandboxRuntime());

/** No sandbox, as an ordinary user also if this process runs as root, so that probes do no harm. */
const open: Sandbox = {
  name: "open",
  isolation: "files-and-network",
  async wrap(argv, { environment, cwd }) {
    const user = process.getuid?.() === 0 ? { user: { uid: TEST_USER, gid: TEST_USER } } : {};
    return { argv, environment, cwd, ...user };
  },
};

describe("a sandbox is opened", () => {
  test.skipIf(isolation === "none")(
    `with the isolation level that every probe has proven${reason}`,
    async () => {
      const opened = await openSandbox({ prefer: [bubblewrapSandbox()] });
      expect(opened).toMatchObject({ name: "bubblewrap", isolation: "files-and-network", passedOver: [] });
      expect(opened.probes.map(({ result }) => result)).toEqual(Array(14).fill("held"));
    },
  );

  test("never with the isolation level it claims: without a sandbox the probes succeed", async () => {
    const { probes } = await probeSandbox(open);
    const through = probes.filter(({ result }) => result === "open").map(({ tries }) => tries);
    expect(through).toEqual(
      expect.arrayContaining(["write outside", "read outside", "touch processes", "reach the network"]),
    );
    await expect(openSandbox({ prefer: [open] })).rejects.toThrow(/open: not blocked: write outside/);
  });

  test.skipIf(isolation === "none")(
    `only from those that work here, and the others are named${reason}`,
    async () => {
      const { name, passedOver } = await openSandbox({ prefer: [open, bubblewrapSandbox()] });
      expect(name).toBe("bubblewrap");
      expect(passedOver).toEqual([expect.objectContaining({ name: "open", isolation: "none" })]);
    },
  );

  test("with none if `orNone` is set, and reports that", async () => {
    await expect(openSandbox({ prefer: [] })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
    const opened = await openSandbox({ prefer: [], orNone: true });
    expect(opened).toMatchObject({ name: expect.stringContaining("without a sandbox"), isolation: "none" });
  });

  test("and one that cannot be built gives the reason", async () => {
    const broken: Sandbox = { ...open, wrap: () => Promise.reject(new Error("no bwrap")) };
    expect(await probeSandbox(broken)).toEqual({ isolation: "none", probes: [], error: "no bwrap" });
  });
});

test("without a sandbox a command gets only the environment it was given", async () => {
  process.env["TOOLKEEP_TEST_SECRET"] = "hidden";
  const profile = {
    read: [],
    write: [],
    guarded: [],
    hidden: [],
    hosts: [],
    environment: { A: "1" },
    cwd: "/",
  };
  const { output } = await run(await noSandbox().wrap(["/usr/bin/env"], profile));
  expect(output).toBe("A=1\n");
});

test.skipIf(process.platform !== "linux")("the advice names a processor without a filter", async () => {
  expect(await installationAdvice("mips")).toContain(
    "The system calls of this processor are not known; bubblewrap cannot be used here.",
  );
  expect(await installationAdvice("x64")).not.toContain("processor");
});

test("the report on the host says what is installed, what was proven and what to do", async () => {
  const report = await inspectHost({ sandboxes: [open, bubblewrapSandbox()] });
  expect(report.sandboxes.map(({ name }) => name)).toEqual(["open", "bubblewrap"]);
  expect(report.isolation).toBe(isolation);
  const { text } = report;
  expect(text).toContain(`Isolation  ${isolation}`);
  expect(text).toContain("memory and processes of a whole command are not limited together");
  expect(text).toMatch(/Sandbox {4}open: none\n {11}open {11}write outside/);
  const none = hostReportText({ ...report, isolation: "none", sandboxes: [] });
  expect(none).toContain("there is none for this platform");
  expect(none).toContain("To do");
});
