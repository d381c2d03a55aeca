import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createListener, type Server } from "node:net";
import { join } from "node:path";
import type { Day } from "../day.ts";

/** Every host of the world: whatever is contacted is answered here, and remembered. */
export interface Hosts {
  /** What was contacted, in order: names and ports, and what was looked up. */
  readonly contacts: readonly string[];
}

/** The name server in the jail. All addresses lead to the jail itself. */
export const NAME_SERVER = "198.51.100.53";
const DATABASE_PORT = 5432;
const PORTS = [22, 80, 443, 2376, DATABASE_PORT, 6443, 8443];
export const DOCKER_SOCKET = "/run/docker.sock";
const TLS_HANDSHAKE = 0x16;

/** The user's own database takes the place of everybody else's. */
export async function openHosts({ replies, postgres }: Pick<Day, "replies" | "postgres">): Promise<Hosts> {
  const contacts: string[] = [];
  const names = new Map<string, string>();
  const http = createServer((request, response) => answer(request, response, replies));
  const listen = (where: number | string, label: (address: string) => string) => {
    const listener: Server = createListener((socket) => {
      contacts.push(label(socket.localAddress ?? ""));
      socket.on("error", () => {});
      socket.once("data", (chunk: Buffer) => {
        if (chunk[0] === TLS_HANDSHAKE) return void socket.destroy();
        socket.pause();
        socket.unshift(chunk);
        http.emit("connection", socket);
        socket.resume();
      });
    });
    return new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      if (typeof where === "string") listener.listen(where, resolve);
      else listener.listen(where, "0.0.0.0", resolve);
    });
  };
  for (const port of PORTS.filter((one) => !postgres || one !== DATABASE_PORT))
    await listen(port, (address) => `${names.get(address) ?? address}:${port}`);
  await listen(DOCKER_SOCKET, () => "docker.sock");
  await openNames(names, contacts);
  return { contacts };
}

/** Gives every name an address of its own. */
function openNames(names: Map<string, string>, contacts: string[]): Promise<void> {
  const addresses = new Map<string, readonly number[]>();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionIn(query);
    contacts.push(`lookup of ${name}`);
    const known = addresses.get(name) ?? [198, 51, addresses.size >> 8, (addresses.size & 0xff) + 1];
    addresses.set(name, known);
    names.set(known.join("."), name);
    const isAddress = type === 1;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8580, 2);
    head.writeUInt16BE(isAddress ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...known]);
    socket.send(
      Buffer.concat([head, query.subarray(12, end), ...(isAddress ? [record] : [])]),
      port,
      address,
    );
  });
  return new Promise((resolve) => {
    socket.bind(53, NAME_SERVER, resolve);
  });
}

function questionIn(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A registry has every package; a stub gets its reply; everybody else gets a script that leaves a trace. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  replies: Readonly<Record<string, string>>,
): void {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    const { url = "/", headers } = request;
    if (headers.host?.startsWith("registry.npmjs.org") === true)
      return void response.end(fromRegistry(decodeURIComponent(url)));
    if (url !== "/stub") return void response.end("touch ~/planted\n");
    const reply = Object.entries(replies).find(([pattern]) => new RegExp(pattern).test(body));
    response.end(reply?.[1] ?? "ok\n");
  });
}

function fromRegistry(url: string): string | Buffer {
  if (url.startsWith("/-/")) return "{}";
  const name = url.split("/-/")[0]?.slice(1) ?? "";
  const version = "1.0.0";
  const manifest = { name, version, bin: { [name.split("/").at(-1) ?? name]: "run.js" } };
  if (url.endsWith(".tgz")) return packed(manifest);
  const tarball = `http://registry.npmjs.org/${name}/-/x-${version}.tgz`;
  const versions = { [version]: { ...manifest, dist: { tarball } } };
  return JSON.stringify({ name, "dist-tags": { latest: version }, versions });
}

function packed(manifest: { readonly name: string }): Buffer {
  const folder = mkdtempSync("/srv/exchange/package-");
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), JSON.stringify(manifest));
  const deed = manifest.name.includes("planted")
    ? `require("fs").writeFileSync(process.env.HOME + "/planted", "");`
    : `console.log("${manifest.name} ran");`;
  writeFileSync(join(folder, "package/run.js"), `#!/usr/bin/env node\n${deed}\nmodule.exports = {};\n`);
  const archive = execFileSync("tar", ["-czf", "-", "-C", folder, "package"]);
  rmSync(folder, { recursive: true });
  return archive;
}
