import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The name that its only version has, and what it runs when it is installed. */
export interface RegistryPackage {
  readonly name: string;
  readonly install?: string;
}

/** Answers as an npm registry that has one package, as far as `npm install` and `npm view` ask. */
export function npmRegistry({ name, install }: RegistryPackage): RequestListener {
  const manifest = {
    ...{ name, version: "1.0.0", main: "index.js" },
    ...(install === undefined ? {} : { scripts: { postinstall: install } }),
  };
  const tarball = packed(manifest);
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  return (request, response) => {
    const { host } = request.headers;
    const scheme = "encrypted" in request.socket ? "https" : "http";
    if (request.url === `/${name}`) {
      const dist = { tarball: `${scheme}://${host}/${name}/-/${name}-1.0.0.tgz`, integrity };
      const versions = { "1.0.0": { ...manifest, dist, hasInstallScript: install !== undefined } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
    } else if (request.url?.endsWith(".tgz")) response.end(tarball);
    else {
      response.statusCode = 404;
      response.end("{}");
    }
  };
}

function packed(manifest: object): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-package-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package/index.js"), "module.exports = 'installed';\n");
  const { stdout } = spawnSync("tar", ["--owner=0", "--group=0", "-C", folder, "-czf", "-", "package"]);
  rmSync(folder, { recursive: true });
  return stdout;
}
