import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest, SessionOptions } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { memoryJournal } from "@toolkeep/core/internal";
import { openSandbox } from "@toolkeep/node";
import { bashTool } from "@toolkeep/tools/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type LoopbackServer,
  openServer,
} from "../../packages/node/src/network/testing/loopback-server.test.kit.ts";
import { selfSigned } from "../../packages/node/src/network/testing/self-signed.test.kit.ts";
import { backgroundTools } from "../../packages/tools/src/shell/background-tools.ts";
import { commandBench, request } from "../tools/command-bench.ts";
import { npmRegistry } from "./npm-registry.ts";

const sandbox = await openSandbox({ orNone: true });
const reason = sandbox.name === "bubblewrap" ? "" : ": skipped, bubblewrap does not work here";

/** Its install script tells what it can reach. */
const SCRIPT = "curl -s -o /dev/null -w '%{http_code}' http://evil.test/ > reached.txt; node -e 0";
const certificate = selfSigned(["secure.test"]);
let registry: LoopbackServer;
let secure: LoopbackServer;
let bench: Awaited<ReturnType<typeof commandBench>>;

beforeAll(async () => {
  registry = await openServer(npmRegistry({ name: "left", install: SCRIPT }));
  secure = await openServer(npmRegistry({ name: "left" }), certificate);
  bench = await commandBench({
    sandbox,
    network: {
      privateHosts: [
        ...[`registry.test:${registry.port}`, `localhost:${registry.port}`],
        ...[`other.test:${registry.port}`, `secure.test:${secure.port}`],
      ],
      resolve: async () => ["127.0.0.1"],
    },
    environment: { values: { NODE_EXTRA_CA_CERTS: "ca.crt.txt" }, pass: ["NODE_EXTRA_CA_CERTS"] },
  });
});

afterAll(async () => {
  await registry.close();
  await secure.close();
  await bench.close();
});

beforeEach(() => {
  for (const name of ["node_modules", "package-lock.json"])
    rmSync(join(bench.root, name), { recursive: true, force: true });
  write("package.json", JSON.stringify({ name: "app", version: "1.0.0", allowScripts: { left: true } }));
  write(".npmrc", `registry=http://registry.test:${registry.port}/\n`);
  write("ca.crt.txt", certificate.cert);
});

function write(name: string, text: string): void {
  const path = join(bench.root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  if (process.getuid?.() === 0) chownSync(path, 12_345, 12_345);
}

const ASK: SessionOptions = { policy: { mode: "ask", rules: ['allow shell.run "ls *"'] } };

/** Runs a line, approves what is asked, and gives what a person was shown and what the model sees. */
async function approved(command: string, options: SessionOptions = ASK, tool = bashTool()) {
  const asked: ApprovalRequest[] = [];
  await using session = await bench.session([tool], {
    ...options,
    approver: async (asking) => {
      asked.push(asking);
      return { verdict: "once" };
    },
  });
  const result = await session.call(request("bash", { command, timeout: 60_000 }));
  return { result, text: modelText(result), asked, shown: asked.flatMap(({ lines }) => lines).join("\n") };
}

describe.skipIf(reason !== "")(`a command in a workspace with a sandbox${reason}`, () => {
  test("npm install works after one yes, and the prompt names its registry", async () => {
    const { text, asked, shown } = await approved(
      "npm install left --no-audit --no-fund --foreground-scripts",
    );
    expect(text).toContain("added 1 package");
    expect(asked).toHaveLength(1);
    expect(shown).toContain("net.fetch registry.test");
    expect(existsSync(join(bench.root, "node_modules/left/index.js"))).toBe(true);
  });

  test("the install script of a package reaches the registry and nothing else, and the result says so", async () => {
    const journal = memoryJournal();
    const { text } = await approved(
      "npm install left --no-audit --no-fund; cat node_modules/left/reached.txt",
      { ...ASK, journal } as SessionOptions,
    );
    expect(text).toContain("403");
    expect(text).toContain("The command tried to reach evil.test, which it was not allowed to");
    expect(text).toContain('bash: { hosts: ["evil.test"] }');
    const refused = [];
    for await (const event of journal.read())
      if (event.type === "access-refuse") refused.push(`${event.capability} ${event.target}`);
    expect(refused).toEqual(["net.fetch evil.test"]);
  });

  test("npm install works over TLS, with an authority that NODE_EXTRA_CA_CERTS names", async () => {
    write(".npmrc", `registry=https://secure.test:${secure.port}/\n`);
    const { text, shown } = await approved("npm install left --no-audit --no-fund --globalconfig=none");
    expect(text).toContain("added 1 package");
    expect(shown).toContain("net.fetch secure.test");
  });

  test("ls carries no host and does not ask", async () => {
    for (const tool of [bashTool(), bashTool({ hosts: ["*"] })]) {
      const { asked, result } = await approved("ls -a", ASK, tool);
      expect(asked).toEqual([]);
      expect(result.ok).toBe(true);
    }
  });

  test("a configuration that names another registry is shown, and asked about", async () => {
    write(".npmrc", "registry=https://evil.test/\n@corp:registry=https://npm.corp.test/\n");
    const rules = ['allow shell.run "npm *"', "allow net.fetch registry.test"];
    const { asked, shown } = await approved("npm view left version --fetch-retries=0", {
      policy: { mode: "ask", rules },
    });
    expect(asked).toHaveLength(1);
    expect(shown).toMatch(/net\.fetch evil\.test[\s\S]*net\.fetch npm\.corp\.test/);
  });

  test("a rule for the host and a rule for the command are enough", async () => {
    const rules = ['allow shell.run "npm *"', "allow net.fetch registry.test"];
    const { asked, text } = await approved("npm view left version", { policy: { mode: "ask", rules } });
    expect(asked).toEqual([]);
    expect(text.trim()).toBe("1.0.0");
  });

  test("curl reaches the host in its address", async () => {
    const { text, shown } = await approved(`curl -s http://other.test:${registry.port}/left`);
    expect(text).toContain('"dist-tags"');
    expect(shown).toContain("net.fetch other.test");
  });

  test("hosts of the tool are reached by a command that is not known", async () => {
    const line = `python3 -c 'import urllib.request as u; print(u.urlopen("http://other.test:${registry.port}/left").read())'`;
    const { text, shown } = await approved(line, ASK, bashTool({ hosts: ["other.test"] }));
    expect(shown).toContain("net.fetch other.test");
    expect(text).toContain('"dist-tags"');
  });

  test("a command that is not known has no network, and the result says so", async () => {
    const { text, shown } = await approved(
      "python3 -c 'import urllib.request as u; u.urlopen(\"http://other.test/\")'",
    );
    expect(shown).not.toContain("net.fetch");
    expect(text).toContain("has no network");
  });

  test("a command cannot reach what it was not decided for, whatever it sets", async () => {
    const line = `curl -s http://other.test:${registry.port}/left > /dev/null; unset http_proxy HTTP_PROXY all_proxy ALL_PROXY; curl -s -m 3 http://registry.test:${registry.port}/left || echo CLOSED; curl -s -m 3 http://127.0.0.1:${registry.port}/left || echo CLOSED`;
    const before = registry.requests.length;
    const { text } = await approved(`bash -c '${line}'`, ASK, bashTool({ hosts: ["other.test"] }));
    expect(text).toContain("CLOSED\nCLOSED");
    expect(registry.requests.length).toBe(before + 1);
  });

  test("a background command keeps its hosts while it lives", async () => {
    await using session = await bench.session([...backgroundTools()]);
    const command = `sleep 1; curl -s -o /dev/null -w 'got %{http_code} ' http://other.test:${registry.port}/left; curl -s http://evil.test/`;
    const { data } = await session.call(request("bash_start", { command }, "b1"));
    const { id } = data as { readonly id: string };
    let seen = "";
    for (let at = 0; at < 60 && !seen.includes("ended with"); at += 1)
      seen += modelText(await session.call(request("bash_output", { id, wait: 2_000 }, `b2-${at}`)));
    expect(seen).toContain("got 200");
    expect(seen).not.toContain("tried to reach other.test");
    expect(seen).toContain(
      "tried to reach evil.test, which it was not allowed to: evil.test may not be connected to",
    );
  });
});
