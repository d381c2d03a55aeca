import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CommandProxy } from "../../network/proxy/command-proxy.ts";
import { proxyFolder } from "../../network/proxy/proxy-folder.ts";
import { type LoopbackServer, openServer } from "../../network/testing/loopback-server.test.kit.ts";
import { findProgram } from "../host/installation.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "../testing/sandboxed-workspace.test.kit.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { nodeForwarder, proxyPlan } from "./proxy-forwarder.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

let server: LoopbackServer;
let workspace: SandboxedWorkspace;
let folder: string;
let refused: string[];

beforeAll(async () => {
  server = await openServer((request, response) => response.end(`REACHED ${request.headers.host}\n`));
});
afterAll(() => server.close());

beforeEach(async () => {
  workspace = sandboxedWorkspace();
  folder = await proxyFolder();
  refused = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function proxyTo(hosts: readonly string[]): CommandProxy {
  return new CommandProxy({
    ...{ hosts, folder },
    settings: {
      privateHosts: [`good.test:${server.port}`, `localhost:${server.port}`],
      resolve: async () => ["127.0.0.1"],
    },
    onRefused: (host) => refused.push(host),
  });
}

async function runWith(hosts: readonly string[], line: string, changes: Partial<SandboxProfile> = {}) {
  const proxy = proxyTo(hosts);
  const sandbox = bubblewrapSandbox({ protection: { quarantine: workspace.quarantine } });
  try {
    return await runLine(sandbox, line, workspace.profile({ hosts, proxy, ...changes }));
  } finally {
    await proxy.close();
  }
}

describe.skipIf(isolation === "none")(`a command in a bubblewrap sandbox${reason}`, () => {
  test("reaches the hosts that are named, through the proxy, and no others", async () => {
    const line = `curl -s http://good.test:${server.port}/; curl -s http://evil.test:${server.port}/ | head -1`;
    const { output, exitCode } = await runWith(["good.test"], line);
    expect(output).toContain(`REACHED good.test:${server.port}`);
    expect(output).toContain("evil.test is not among the hosts");
    expect(exitCode).toBe(0);
    expect(refused).toEqual(["evil.test"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("has a network with nothing but loopback, resolves no names, and sees no server of the machine", async () => {
    const line = [
      "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :",
      "getent hosts example.com || echo UNRESOLVED",
      `curl -s --noproxy '*' -m 3 http://127.0.0.1:${server.port}/ || echo UNREACHED`,
      `curl -s -m 3 http://localhost:${server.port}/ || echo UNREACHED`,
    ].join("; ");
    const { output } = await runWith(["good.test"], line);
    expect(output).toMatch(/^1\nUNRESOLVED\nUNREACHED\nUNREACHED\n$/);
    expect(server.requests.some(({ headers }) => headers.host?.startsWith("localhost"))).toBe(false);
  });

  test("reaches a server of the machine that is named by host and port", async () => {
    const { output } = await runWith(
      ["localhost"],
      `curl -s http://localhost:${server.port}/; curl -s http://localhost:1/`,
    );
    expect(output).toContain(`REACHED localhost:${server.port}`);
    expect(output).toContain("port 1 is not open");
  });

  test("reaches its own servers without the proxy", async () => {
    const line =
      "python3 -m http.server -b 127.0.0.1 8999 >/dev/null 2>&1 & sleep 1; curl -s -o /dev/null -w '%{http_code}' http://localhost:8999/";
    expect((await runWith(["good.test"], line)).output).toBe("200");
  });

  test("has no child that it did not start, and its output ends with it", async () => {
    const line = "ps -o comm= --ppid $$ > children; cat children; jobs; wait; env | grep -ci toolkeep_";
    expect((await runWith(["good.test"], line)).output).toBe("ps\n0\n");
  });

  test("does not see the proxy of another command, and its own is gone when it has ended", async () => {
    const other = proxyTo(["evil.test"]);
    const { folder: elsewhere } = await other.listen();
    const line = (path: string) =>
      `ls ${path}; socat -u OPEN:/dev/null UNIX-CONNECT:${path}/s && echo CONNECTED`;
    const first = await runWith(["good.test"], `${line(elsewhere)}; ls /run/toolkeep-proxy`);
    await other.close();
    expect(first.output).toMatch(/No such file/);
    expect(first.output).not.toContain("CONNECTED");
    expect(first.output).toMatch(/npmrc\ns\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("without hosts gets no proxy", async () => {
    const { output } = await runWith([], "env | grep -i proxy; ls /run/toolkeep-proxy; echo done");
    expect(output).toMatch(/No such file[\s\S]*done/);
  });

  test("is connected by Node where there is no socat", async () => {
    const proxy = proxyTo(["good.test"]);
    const profile = workspace.profile({ hosts: ["good.test"], proxy });
    const plan = await proxyPlan(profile, undefined, nodeForwarder());
    const environment = Object.entries(plan?.environment ?? {}).flatMap(([name, value]) => [
      "--setenv",
      name,
      value,
    ]);
    const system = ["/usr", "/bin", "/lib", "/lib64"].flatMap((path) => ["--ro-bind-try", path, path]);
    const { script = "", args = [] } = plan?.step ?? {};
    const child = spawn((await findProgram("bwrap")) ?? "", [
      ...[
        "--unshare-user",
        "--unshare-net",
        "--unshare-pid",
        "--die-with-parent",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        ...system,
      ],
      ...[...(plan?.mounts ?? []), "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", ...environment],
      ...[
        "/bin/bash",
        "-c",
        `${script}exec "$@"`,
        "sh",
        ...args,
        "curl",
        "-s",
        `http://good.test:${server.port}/`,
      ],
    ]);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += String(chunk);
      });
    await once(child, "close");
    await proxy.close();
    expect(output).toBe(`REACHED good.test:${server.port}\n`);
  });
});
