import type { Sandbox } from "@toolkeep/core/ports";
import { expect, test } from "vitest";
import { probeSandbox } from "./probe-sandbox.ts";

const CALLED = ["trace process 1", "use the keyring", "open other sockets"];

/** A container in which every probe is blocked, and says so; `missing` could not be tried there. */
function container(missing: readonly string[], variable = ""): Sandbox {
  return {
    name: "container",
    isolation: "files-and-network",
    async wrap(_argv, { cwd, environment }) {
      const reports = [...CALLED, "make namespaces", "reach the network"].map((tries) =>
        missing.includes(tries) ? `@@${tries}\nMISSING` : `@@${tries}\nREFUSED`,
      );
      const made = missing.includes("be root") ? "" : "echo made > made; chown 65534 made 2> /dev/null;";
      const script = `${made} printf '%s\n' "$1"`;
      const argv = [
        "/bin/sh",
        "-c",
        script,
        "sh",
        ["", ...reports, "@@read our environment", variable, "@@end", ""].join("\n"),
      ] as const;
      return { argv, cwd, environment };
    },
  };
}

test("a container in which every probe was tried and held has the level that they prove", async () => {
  expect(await probeSandbox(container([]))).toMatchObject({ isolation: "files-and-network" });
});

test.each([
  ["trace process 1", "none"],
  ["use the keyring", "none"],
  ["make namespaces", "none"],
  ["be root", "none"],
  ["open other sockets", "files"],
  ["reach the network", "files"],
])(
  "a container in which nothing could %s to try it has at most the level of the others",
  async (tries, level) => {
    const { probes, isolation } = await probeSandbox(container([tries]));
    expect(probes.filter(({ result }) => result !== "held")).toEqual([{ tries, result: "untried" }]);
    expect(isolation).toBe(level);
  },
);

test("variables of ours are looked for, and not their values in other ones", async () => {
  process.env["TOOLKEEP_TEST_FOLDER"] = "/home/another";
  try {
    const other = await probeSandbox(container([], "PWD=/home/another/project"));
    expect(other.isolation).toBe("files-and-network");
    const ours = await probeSandbox(container([], "TOOLKEEP_TEST_FOLDER=/home/another"));
    expect(ours.probes).toContainEqual({ tries: "read our environment", result: "open" });
  } finally {
    delete process.env["TOOLKEEP_TEST_FOLDER"];
  }
});

test.each(["darwin", "win32", "freebsd"])(
  "on %s no level is claimed: what is not Linux is not tried",
  async (platform) => {
    const here = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
    const sandbox = container([]);
    const elsewhere: Sandbox = {
      ...sandbox,
      async wrap(...asked) {
        Object.defineProperty(process, "platform", { ...here, value: platform });
        return sandbox.wrap(...asked);
      },
    };
    try {
      const { probes, isolation } = await probeSandbox(elsewhere);
      expect(probes.find(({ tries }) => tries === "change the kernel")?.result).toBe("untried");
      expect(isolation).toBe("none");
    } finally {
      Object.defineProperty(process, "platform", here);
    }
  },
);
