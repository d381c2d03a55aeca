import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { EXPECTED } from "../tests/edge/edge-calls.ts";
import { ROOT } from "./root.ts";
import { runProgram } from "./run-program.ts";

/**
 * `npm run campaign:workerd`: tools with JSON Schemas in the runtime of Cloudflare Workers, which forbids to generate
 * code. The runtime is large, so it is installed when this is run, into a folder for temporary files.
 */
const WORKERD = "workerd@1.20261104.1";
const COMPATIBILITY_DATE = "2026-10-01";
const DEADLINE_MS = 30_000;

const folder = join(tmpdir(), "toolkeep-workerd");
const seen = await seenIn(await installed(), await bundled());
if (JSON.stringify(seen) === JSON.stringify(EXPECTED))
  console.log(`${WORKERD}: ${seen.length} calls as expected.`);
else {
  console.error(
    `${WORKERD} gives\n${JSON.stringify(seen, null, 2)}\ninstead of\n${JSON.stringify(EXPECTED, null, 2)}`,
  );
  process.exitCode = 1;
}

/** The program, as npm delivers it for this machine. */
async function installed(): Promise<string> {
  const program = join(folder, "node_modules", ".bin", "workerd");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", WORKERD] as const;
  const { code, stderr } = await runProgram(["npm", ...install], { cwd: folder });
  if (code !== 0) throw new Error(`${WORKERD} cannot be installed: ${stderr}`);
  return program;
}

/** The worker as one file. */
async function bundled(): Promise<string> {
  const file = join(folder, "worker.js");
  const entry = join(folder, "entry.js");
  const calls = JSON.stringify(join(ROOT, "tests/edge/edge-calls.ts"));
  const handler = "{ fetch: async () => Response.json(await edgeCalls()) }";
  writeFileSync(entry, `import { edgeCalls } from ${calls};\nexport default ${handler};\n`);
  await build({
    input: entry,
    platform: "neutral",
    resolve: {
      conditionNames: ["@toolkeep/source", "workerd", "worker", "browser", "import", "default"],
      mainFields: ["module", "main"],
    },
    external: /^node:/,
    tsconfig: false,
    onLog: () => {},
    output: { file, format: "esm", codeSplitting: false },
  });
  return file;
}

async function seenIn(program: string, worker: string): Promise<readonly unknown[]> {
  const port = await freePort();
  const config = join(folder, "config.capnp");
  writeFileSync(config, configOf(worker, port));
  const server = spawn(program, ["serve", config], { stdio: ["ignore", "inherit", "inherit"] });
  try {
    return (await answered(`http://127.0.0.1:${port}/`)) as readonly unknown[];
  } finally {
    server.kill();
  }
}

function configOf(worker: string, port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .mainWorker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const mainWorker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${JSON.stringify(worker.slice(worker.lastIndexOf("/") + 1))})],
  compatibilityDate = "${COMPATIBILITY_DATE}",
);
`;
}

async function answered(url: string): Promise<unknown> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      const response = await fetch(url);
      return response.ok ? await response.json() : [response.status, await response.text()];
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
