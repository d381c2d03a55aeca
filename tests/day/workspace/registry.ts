import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceOptions } from "@toolkeep/node";

type NetworkSettings = NonNullable<WorkspaceOptions["network"]>;

/** A registry for npm on this machine, with one package. */
export interface LoopbackRegistry extends AsyncDisposable {
  readonly url: string;
  /** The same under the name of the usual one, which only the sandboxed commands of a workspace resolve to it. */
  readonly usualUrl: string;
  /** How commands of a workspace reach it under both names, and nothing else. */
  readonly network: NetworkSettings;
}

const USUAL = "registry.npmjs.org";

const MANIFEST = { name: "zod", version: "4.0.0" };

export async function openRegistry(): Promise<LoopbackRegistry> {
  const tarball = packed();
  const server = createServer(({ url = "", headers }, answer) => {
    if (url.endsWith(".tgz")) answer.end(tarball);
    else if (url === "/zod") answer.end(JSON.stringify(packument(tarball, String(headers.host))));
    else answer.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    usualUrl: `http://${USUAL}:${port}/`,
    network: {
      privateHosts: [`127.0.0.1:${port}`, `${USUAL}:${port}`],
      resolve: async (host) => (host === USUAL || host === "127.0.0.1" ? ["127.0.0.1"] : []),
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function packument(tarball: Buffer, host: string) {
  const { name, version } = MANIFEST;
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `http://${host}/zod/-/zod-${version}.tgz`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...MANIFEST, dist } } };
}

function packed(): Buffer {
  using folder = mkdtempDisposableSync(join(tmpdir(), "day-registry-"));
  mkdirSync(join(folder.path, "package"));
  writeFileSync(join(folder.path, "package/package.json"), JSON.stringify(MANIFEST));
  execFileSync("tar", ["czf", "zod.tgz", "package"], { cwd: folder.path });
  return readFileSync(join(folder.path, "zod.tgz"));
}
