import { readdirSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { addressBytes } from "./address-bytes.ts";
import type { Endpoint } from "./packets.ts";
import { linkOf, pidsInside, runOfProcess } from "./processes-inside.ts";

/** A socket as the kernel lists it. */
export interface ListedSocket {
  readonly protocol: "tcp" | "udp";
  readonly local: Endpoint;
  readonly remote: Endpoint;
}

/** Files of processes that are looked at for one socket, and how long in a second: no process keeps us busy. */
const MOST_LOOKS = 20_000;
const MOST_MS = 400;

/** The run of the process in the place that has this socket open. */
export class SocketOwners {
  readonly #init: number;
  #last: string | undefined;
  #second = 0;
  #spentMs = 0;

  constructor(init: number) {
    this.#init = init;
  }

  /** `undefined` if it is not found, or too much was looked for. */
  runOf(socket: ListedSocket): string | undefined {
    const began = performance.now();
    if (Math.floor(began / 1_000) !== this.#second) this.#spentMs = 0;
    this.#second = Math.floor(began / 1_000);
    if (this.#spentMs > MOST_MS) return undefined;
    const inode = this.#inodeOf(socket);
    this.#last = inode === undefined ? undefined : this.#holderOf(`socket:[${inode}]`);
    this.#spentMs += performance.now() - began;
    return this.#last === undefined ? undefined : runOfProcess(this.#init, this.#last);
  }

  #inodeOf({ protocol, local, remote }: ListedSocket): string | undefined {
    for (const table of [protocol, `${protocol}6`]) {
      const list = this.#table(table);
      for (const from of listedAs(local, table.endsWith("6")))
        for (const to of listedAs(remote, table.endsWith("6"))) {
          const found = rowWith(list, ` ${from} ${to} `);
          if (found !== undefined) return found;
        }
    }
    if (protocol === "tcp") return undefined;
    // A socket that sends to anyone has no other end, and often no address.
    const port = portText(local.port);
    for (const table of ["udp", "udp6"]) {
      const found = rowWith(this.#table(table), new RegExp(` [\\dA-F]+:${port} 0+:0000 `));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #table(name: string): string {
    try {
      return readFileSync(`/proc/${this.#init}/net/${name}`, "latin1");
    } catch {
      return "";
    }
  }

  #holderOf(link: string): string | undefined {
    const pids = pidsInside(this.#init).toReversed();
    const first = this.#last !== undefined && pids.includes(this.#last) ? [this.#last] : [];
    let looks = 0;
    for (const pid of [...first, ...pids]) {
      const folder = `/proc/${this.#init}/root/proc/${pid}/fd`;
      for (const name of namesIn(folder)) {
        if (++looks > MOST_LOOKS) return undefined;
        if (linkOf(`${folder}/${name}`) === link) return pid;
      }
    }
    return undefined;
  }
}

/** The inode of the first row that this is in; none where its process has closed it. */
function rowWith(list: string, what: string | RegExp): string | undefined {
  const at = typeof what === "string" ? list.indexOf(what) : list.search(what);
  if (at < 0) return undefined;
  const [row = ""] = list.slice(at + 1).split("\n", 1);
  const inode = row.split(/\s+/)[8];
  return inode === "0" ? undefined : inode;
}

/** How the kernel writes an address: four bytes at a time, the last one first. */
function listedAs({ address, port }: Endpoint, isSix: boolean): readonly string[] {
  const bytes = addressBytes(address);
  const words = [...Array(bytes.length / 4).keys()].map((at) =>
    bytes.subarray(at * 4, at * 4 + 4).toReversed(),
  );
  const text = Buffer.concat(words).toString("hex").toUpperCase();
  if (!isSix) return isIPv4(address) ? [`${text}:${portText(port)}`] : [];
  return [`${isIPv4(address) ? `0000000000000000FFFF0000${text}` : text}:${portText(port)}`];
}

function portText(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
