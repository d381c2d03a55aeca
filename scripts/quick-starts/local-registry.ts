import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { basename } from "node:path";
import type { PackageManifest } from "../packages.ts";

export interface PackedPackage {
  readonly manifest: PackageManifest;
  readonly tarball: string;
}

const PUBLIC = "https://registry.npmjs.org";

/** A registry on loopback that has our packed packages as if they were published, and sends npm on for all others. */
export async function localRegistry(packed: readonly PackedPackage[]) {
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(url.split("?")[0] ?? "").slice(1);
    const file = packed.find(({ tarball }) => path === `-/${basename(tarball)}`);
    const named = packed.find(({ manifest }) => manifest.name === path);
    if (file !== undefined) response.end(readFileSync(file.tarball));
    else if (named !== undefined) sendDocument(named, response, address());
    else response.writeHead(307, { location: `${PUBLIC}${url}` }).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = () => {
    const at = server.address();
    return `http://127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}`;
  };
  return {
    url: address(),
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function sendDocument({ manifest, tarball }: PackedPackage, response: ServerResponse, origin: string): void {
  const { name, version } = manifest;
  const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  const dist = { tarball: `${origin}/-/${basename(tarball)}`, integrity: `sha512-${digest}` };
  const document = {
    ...{ name, "dist-tags": { latest: version } },
    versions: { [version]: { ...manifest, dist } },
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(document));
}
