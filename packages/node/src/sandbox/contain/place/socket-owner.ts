import { readdirSync } from "node:fs";
import { isIPv4, type Socket } from "node:net";
import { unlessThrown } from "@toolkeep/core/internal";
import { readProc } from "../../../processes/proc.ts";
import { addressBytes, type Endpoint, type Packet } from "./packets.ts";
import { linkOf, pidsInside, runOfProcess } from "./processes-inside.ts";

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

  /** The run at the other end of a connection within the place. */
  runOf({ remoteAddress, remotePort = 0, localAddress, localPort = 0 }: Socket): string | undefined {
    if (remoteAddress === undefined || localAddress === undefined) return undefined;
    const from = { address: remoteAddress, port: remotePort };
    return this.senderOf({ protocol: "tcp", from, to: { address: localAddress, port: localPort } });
  }

  /** `undefined` if it is not found, or too much was looked for. */
  senderOf(packet: Omit<Packet, "bytes">): string | undefined {
    const began = performance.now();
    if (Math.floor(began / 1_000) !== this.#second) this.#spentMs = 0;
    this.#second = Math.floor(began / 1_000);
    if (this.#spentMs > MOST_MS) return undefined;
    const inode = this.#inodeOf(packet);
    this.#last = inode === undefined ? undefined : this.#holderOf(`socket:[${inode}]`);
    this.#spentMs += performance.now() - began;
    return this.#last === undefined ? undefined : runOfProcess(this.#init, this.#last);
  }

  #inodeOf({ protocol, from, to }: Omit<Packet, "bytes">): string | undefined {
    const table = (isSix: boolean) => readProc(`${this.#init}/net/${protocol}${isSix ? "6" : ""}`) ?? "";
    for (const isSix of [false, true]) {
      if (!isSix && !isIPv4(from.address)) continue;
      const found = rowWith(table(isSix), ` ${listedAs(from, isSix)} ${listedAs(to, isSix)} `);
      if (found !== undefined) return found;
    }
    if (protocol === "tcp") return undefined;
    // A socket that sends to anyone has no other end, and often no address.
    const toAnyone = new RegExp(` [\\dA-F]+:${portText(from.port)} 0+:0000 `);
    return rowWith(table(false), toAnyone) ?? rowWith(table(true), toAnyone);
  }

  #holderOf(link: string): string | undefined {
    const pids = pidsInside(this.#init).toReversed();
    const first = this.#last !== undefined && pids.includes(this.#last) ? [this.#last] : [];
    let looks = 0;
    for (const pid of [...first, ...pids]) {
      const folder = `/proc/${this.#init}/root/proc/${pid}/fd`;
      for (const name of unlessThrown(() => readdirSync(folder)) ?? []) {
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
function listedAs({ address, port }: Endpoint, isSix: boolean): string {
  const bytes = addressBytes(address);
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse();
  const prefix = isSix && isIPv4(address) ? "0000000000000000FFFF0000" : "";
  return `${prefix}${bytes.toString("hex").toUpperCase()}:${portText(port)}`;
}

function portText(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
