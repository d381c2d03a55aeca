import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import { beforeEach, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { memoryAcceptedServers } from "../servers/memory-accepted-servers.ts";
import type { StdioServer } from "../servers/server-entry.ts";
import { openMcpSource } from "./open-mcp-source.ts";

let folder: string;
let project: string;

beforeEach(() => {
  folder = temporaryFolder();
  project = join(folder, "project");
  mkdirSync(project);
});

const write = (path: string, text: string, mode = 0o644) => putFile(join(folder, path), text, mode);

/** Starts an accepted server of the project once, as the gateway does. */
async function start(parts: Pick<StdioServer, "command" | "args"> & Partial<StdioServer>): Promise<void> {
  const source = openMcpSource({
    registry: createRegistry(),
    accepted: memoryAcceptedServers(),
    owner: project,
    folder: join(folder, "state"),
    environment: {
      PATH: [join(project, "node_modules/.bin"), join(folder, "bin"), process.env["PATH"]].join(":"),
      HOME: join(folder, "home"),
    },
    consent: async () => true,
  });
  try {
    await source.add({ kind: "stdio", name: "planted", isOfProject: true, env: {}, ...parts });
  } finally {
    await source.close();
  }
}

async function registry(): Promise<{
  readonly url: string;
  readonly asked: string[];
  readonly server: Server;
}> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, asked, server };
}

const NAME = "@modelcontextprotocol/server-filesystem";

const NPX_FILE = join(
  dirname(realpathSync(execFileSync("which", ["npx"], { encoding: "utf8" }).trim())),
  "npx-cli.js",
);

/** What a clone, a sandboxed command or a dependency may leave in a project under a well-known name. */
function plant(): string {
  const ran = join(folder, "ran");
  const program = `#!/bin/sh\necho ran > ${JSON.stringify(ran)}\n`;
  const at = `project/node_modules/${NAME}`;
  write(
    `${at}/package.json`,
    JSON.stringify({ name: NAME, version: "9.9.9", bin: { "mcp-server-filesystem": "i.js" } }),
  );
  write(`${at}/i.js`, program, 0o755);
  for (const name of ["mcp-server-filesystem", "npx", "node", "python3"])
    write(`project/node_modules/.bin/${name}`, program, 0o755);
  write("project/package.json", JSON.stringify({ name: "project", dependencies: { [NAME]: "*" } }));
  write(
    "project/mcp_server_git/__main__.py",
    `open(${JSON.stringify(ran)}, "w").write("code of the project")\n`,
  );
  write("project/.pnp.cjs", program);
  return ran;
}

test.each([
  ["a package that lies in node_modules", { command: "npx", args: ["--offline", "-y", NAME, "."] }],
  ["its program by name", { command: "npx", args: ["--offline", "--no-install", "mcp-server-filesystem"] }],
  ["a folder to start in", { command: "npx", args: ["--offline", "-y", NAME], cwd: "." }],
  ["npm exec", { command: "npm", args: ["exec", "--offline", "-y", "--", NAME, "."] }],
  ["npm's own file", { command: "node", args: [NPX_FILE, "--offline", "-y", NAME] }],
  ["another wrapper", { command: "setsid", args: ["-w", "npx", "--offline", "-y", NAME] }],
  ["a wrapper", { command: "env", args: ["npx", "--offline", "-y", NAME] }],
  ["a shell", { command: "sh", args: ["-c", `npx --offline -y ${NAME}`] }],
  ["a Python module", { command: "python3", args: ["-m", "mcp_server_git"] }],
  ["a Python module after options", { command: "python3", args: ["-B", "-um", "mcp_server_git"] }],
])("code of a project does not run for a runner that its people may accept: %s", async (_what, parts) => {
  const ran = plant();
  await start(parts);
  expect(existsSync(ran)).toBe(false);
});

test("a registry that the project names is not asked, and the user's own is", async () => {
  const [evil, own] = await Promise.all([registry(), registry()]);
  try {
    write("project/.npmrc", `@modelcontextprotocol:registry=${evil.url}\nregistry=${evil.url}\n`);
    write("home/.npmrc", `registry=${own.url}\nfetch-retries=0\n`);
    await start({ command: "npx", args: ["-y", NAME, "."] });
    expect(evil.asked).toEqual([]);
    expect(own.asked.length).toBeGreaterThan(0);
  } finally {
    evil.server.close();
    own.server.close();
  }
});

test("relative arguments mean the project's files, and the runner starts in an empty folder", async () => {
  write(
    "bin/npx",
    `#!/bin/sh\n{ pwd; ls; printf '%s\\n' "$@" "$DATA"; } > ${JSON.stringify(join(folder, "told"))}\n`,
    0o755,
  );
  write("project/src/a.ts", "");
  write(`project/${NAME}/package.json`, "{}");
  await start({
    command: "npx",
    args: ["-y", NAME, ".", "./docs", "src", "--root=../other", "stdio"],
    env: { DATA: "./data.json" },
  });
  const [at = "", ...told] = readFileSync(join(folder, "told"), "utf8").trimEnd().split("\n");
  expect(at.startsWith(join(folder, "state"))).toBe(true);
  expect(told).toEqual([
    ...["node_modules", "-y", NAME, project, join(project, "docs"), join(project, "src")],
    ...[`--root=${join(folder, "other")}`, "stdio", join(project, "data.json")],
  ]);
});

test("a program with an effect map starts in an empty folder, where its version manager follows no project", async () => {
  const told = join(folder, "told");
  write("bin/mcp-server-filesystem", `#!/bin/sh\n{ pwd; echo "$@"; } > ${JSON.stringify(told)}\n`, 0o755);
  await start({ command: "mcp-server-filesystem", args: ["."] });
  const [at = "", given] = readFileSync(told, "utf8").split("\n");
  expect(at.startsWith(join(folder, "state"))).toBe(true);
  expect(given).toBe(project);
});

test("a project's own program starts in the project, as before", async () => {
  const told = join(folder, "told");
  write("project/run.sh", `#!/bin/sh\npwd > ${JSON.stringify(told)}\n`, 0o755);
  await start({ command: "sh", args: ["run.sh"] });
  expect(readFileSync(told, "utf8").trim()).toBe(project);
});
