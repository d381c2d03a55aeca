import type { Sandbox } from "@toolkeep/core/ports";
import { afterAll, describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { doctor } from "./doctor.ts";
import { doctorText } from "./doctor-text.ts";
import { installationAdvice } from "./installation-advice.ts";
import { noSandbox } from "./no-sandbox.ts";
import { openSandbox } from "./open-sandbox.ts";
import { probeSandbox } from "./probe-sandbox.ts";
import { closeSandboxRuntime } from "./sandbox-runtime.ts";
import { run, TEST_USER } from "./testing/sandboxed-workspace.ts";

const { isolation } = await probeSandbox(bubblewrap());
const reason = isolation === "none" ? ": skipped, bubblewrap builds no walls here" : "";

afterAll(() => closeSandboxRuntime());

/** Without walls, as an ordinary user also when we are root: what it does must harm nobody. */
const open: Sandbox = {
  name: "open",
  isolation: "files-and-network",
  async wrap(argv, { environment, cwd }) {
    const user = process.getuid?.() === 0 ? { user: { uid: TEST_USER, gid: TEST_USER } } : {};
    return { argv, environment, cwd, ...user };
  },
};

describe("a sandbox is opened", () => {
  test.skipIf(isolation === "none")(`with the grade that was proven by every probe${reason}`, async () => {
    const opened = await openSandbox({ prefer: [bubblewrap()] });
    expect(opened).toMatchObject({ name: "bubblewrap", isolation: "files-and-network", passedOver: [] });
    expect(opened.probes.map(({ result }) => result)).toEqual(Array(14).fill("held"));
  });

  test("and never with the grade it claims: without walls every probe comes through that can", async () => {
    const { probes } = await probeSandbox(open);
    const through = probes.filter(({ result }) => result === "open").map(({ tries }) => tries);
    expect(through).toEqual(
      expect.arrayContaining(["write outside", "read outside", "touch processes", "reach the network"]),
    );
    await expect(openSandbox({ prefer: [open] })).rejects.toThrow(/open: not held: write outside/);
  });

  test.skipIf(isolation === "none")(
    `only from those that hold, and the others are named${reason}`,
    async () => {
      const { name, passedOver } = await openSandbox({ prefer: [open, bubblewrap()] });
      expect(name).toBe("bubblewrap");
      expect(passedOver).toEqual([expect.objectContaining({ name: "open", isolation: "none" })]);
    },
  );

  test("or none, if that was said, and it says so", async () => {
    await expect(openSandbox({ prefer: [] })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
    const opened = await openSandbox({ prefer: [], orNone: true });
    expect(opened).toMatchObject({ name: expect.stringContaining("without walls"), isolation: "none" });
  });

  test("and one that cannot build its walls says why", async () => {
    const broken: Sandbox = { ...open, wrap: () => Promise.reject(new Error("no bricks")) };
    expect(await probeSandbox(broken)).toEqual({ isolation: "none", probes: [], error: "no bricks" });
  });
});

test("without walls a command still gets the environment it was given and no other", async () => {
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
    "System calls of this processor are not known; bubblewrap cannot be used here.",
  );
  expect(await installationAdvice("x64")).not.toContain("processor");
});

test("the doctor says what there is, what held and what to do", async () => {
  const report = await doctor({ sandboxes: [open, bubblewrap()] });
  expect(report.sandboxes.map(({ name }) => name)).toEqual(["open", "bubblewrap"]);
  expect(report.isolation).toBe(isolation);
  const text = doctorText(report);
  expect(text).toContain(`Grade      ${isolation}`);
  expect(text).toContain("memory and processes of a whole command are not limited together");
  expect(text).toMatch(/Walls {6}open: none\n {11}open {11}write outside/);
  const none = doctorText({ ...report, isolation: "none", sandboxes: [] });
  expect(none).toContain("there are none for this platform");
  expect(none).toContain("To do");
});
