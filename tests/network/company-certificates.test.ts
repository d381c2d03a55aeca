import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { openSandbox } from "@toolkeep/node";
import { bashTool } from "@toolkeep/tools/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type LoopbackServer,
  openServer,
} from "../../packages/node/src/network/testing/loopback-server.test.kit.ts";
import { selfSigned } from "../../packages/node/src/network/testing/self-signed.test.kit.ts";
import { commandBench, request } from "../tools/command-bench.ts";
import { reachableFolder } from "../tools/reachable-folder.ts";

const sandbox = await openSandbox({ orNone: true });
const reason = sandbox.name === "bubblewrap" ? "" : ": skipped, bubblewrap does not work here";

const certificate = selfSigned(["inside.test"]);
let server: LoopbackServer;
let folder: string;

beforeAll(async () => {
  server = await openServer((_request, response) => response.end("inside"), certificate);
  folder = reachableFolder(".authorities-");
  writeFileSync(join(folder, "corp-ca.pem"), certificate.cert, { mode: 0o644 });
  writeFileSync(join(folder, "with-key.pem"), `${certificate.cert}${certificate.key}`, { mode: 0o644 });
  symlinkSync(join(folder, "corp-ca.pem"), join(folder, "link.pem"));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function run(command: string, values: Readonly<Record<string, string>>): Promise<string> {
  const bench = await commandBench({
    sandbox,
    network: { privateHosts: [`inside.test:${server.port}`], resolve: async () => ["127.0.0.1"] },
    environment: { values: { PATH: process.env["PATH"], ...values } },
  });
  try {
    await using session = await bench.session([bashTool()], {
      policy: ["allow shell.run", "allow shell.dynamic", "allow net.fetch", "allow env.read"],
    });
    return modelText(await session.call(request("bash", { command }))).trimEnd();
  } finally {
    await bench.close();
  }
}

describe.skipIf(reason !== "")(`certificates of further authorities in the sandbox${reason}`, () => {
  test("are found where the user's variables name them, also through a link", async () => {
    const url = `https://inside.test:${server.port}/`;
    const values = { CURL_CA_BUNDLE: join(folder, "link.pem") };
    expect(await run(`curl -sS ${url}`, values)).toBe("inside");
    expect(await run(`curl -sS ${url}`, {})).toMatch(/certificate/);
    const shown = { NODE_EXTRA_CA_CERTS: join(folder, "corp-ca.pem") };
    expect(await run(`ls '${folder}'`, shown)).toBe("corp-ca.pem");
  });

  test("of the system are found with and without network", async () => {
    const system = "/etc/ssl/certs/ca-certificates.crt";
    if (!existsSync(system)) return;
    const values = { NODE_EXTRA_CA_CERTS: system, CURL_CA_BUNDLE: join(folder, "corp-ca.pem") };
    expect(await run("node -p 1 2>&1", values)).toBe("1");
    expect(await run(`node -p 1 2>&1; curl -sS https://inside.test:${server.port}/`, values)).toBe(
      "1\ninside",
    );
  });

  test("are not shown with a key, and the variable is not passed on then", async () => {
    for (const name of ["with-key.pem", "missing.pem", ".", "../.."]) {
      const values = { NODE_EXTRA_CA_CERTS: join(folder, name), SSL_CERT_FILE: "relative.pem" };
      expect(await run('node -p "process.env.NODE_EXTRA_CA_CERTS + process.env.SSL_CERT_FILE"', values)).toBe(
        "NaN",
      );
      expect(await run(`cat '${folder}/with-key.pem'`, values)).not.toContain("PRIVATE KEY");
    }
  });
});
