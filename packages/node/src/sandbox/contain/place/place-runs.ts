import type { Socket as Datagrams, RemoteInfo } from "node:dgram";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { decoysOf } from "./decoys.ts";
import { dnsAnswer } from "./dns-answer.ts";
import { FalseAddresses } from "./false-addresses.ts";
import { HostListeners } from "./host-listeners.ts";
import { InsideLink } from "./inside-link.ts";
import { LoopbackPorts } from "./loopback-ports.ts";
import type { Namespaces } from "./namespaces.ts";
import { readPacket, refusalOf } from "./packets.ts";
import {
  type KeeperSettings,
  RUNS,
  type RunMount,
  type RunRequest,
  type RunResult,
} from "./place-protocol.ts";
import { processesOf, runsInside } from "./processes-inside.ts";
import { RunRecords } from "./run-records.ts";
import { SocketOwners } from "./socket-owner.ts";
import { OWN_ADDRESSES } from "./watcher.ts";
import { type Watcher, watcherLink } from "./watcher-link.ts";

const MOST_QUERIES = 64;
const SETTLED_WITHIN_MS = 1_000;

/** The runs of a place: the names, hosts, ports and decoys of each, and what it wanted. */
export class PlaceRuns {
  readonly records = new RunRecords();
  readonly ports: LoopbackPorts;
  readonly lost: Promise<void>;
  readonly #settings: KeeperSettings;
  readonly #namespaces: Namespaces;
  readonly #addresses = new FalseAddresses();
  readonly #decoys = decoysOf(this.records, (path) => this.#watcher.watch(path));
  readonly #names = new Map<string, Datagrams>();
  readonly #inside: InsideLink;
  readonly #owners: SocketOwners;
  readonly #hosts: HostListeners;
  readonly #watcher: Watcher;
  #lastNumber = 0;
  #underWay = 0;

  constructor(settings: KeeperSettings, namespaces: Namespaces) {
    const { init, watcher, enterNetwork } = namespaces;
    this.#settings = settings;
    this.#namespaces = namespaces;
    this.#inside = new InsideLink(enterNetwork, settings.inside);
    this.lost = this.#inside.lost;
    this.#owners = new SocketOwners(init);
    const parts = { inside: this.#inside, records: this.records, owners: this.#owners };
    const ip = [...enterNetwork, settings.programs.ip] as const;
    this.#hosts = new HostListeners({ ...parts, ip, proxies: settings.proxies });
    this.ports = new LoopbackPorts({ ...parts, listening: () => this.#watcher.listening() });
    this.#watcher = watcherLink(watcher, {
      packet: (bytes, isRefused) => this.#packet(bytes, isRefused),
      looked: (watch) => this.#decoys.looked(watch),
    });
  }

  /** @throws Error in words. */
  async begin(request: RunRequest): Promise<readonly RunMount[]> {
    const { id, decoys } = request;
    this.records.begin(request);
    try {
      const folder = join(this.#settings.folder, RUNS, id);
      mkdirSync(`${RUNS}/${id}`, { mode: 0o700 });
      const looked = this.ports.look();
      const server = await this.#answerNames(id);
      writeFileSync(`${RUNS}/${id}/resolv.conf`, `nameserver ${server}\n`);
      for (const host of this.records.hostsOf(id)) await this.#hosts.openAddress(id, host);
      const mounts = await this.#decoys.make(id, decoys, this.#settings.folder);
      await looked;
      const taken = request.ports.find((port) => this.ports.taken.has(port));
      if (taken !== undefined) throw new Error(`a process in it listens on port ${taken} as well`);
      return [{ path: "/etc/resolv.conf", source: join(folder, "resolv.conf") }, ...mounts];
    } catch (error) {
      this.#drop(id);
      throw error;
    }
  }

  /** What a run wanted until now. Its processes may go on, and what they may reach stays so. */
  async finish(id: string): Promise<RunResult> {
    await Promise.race([this.#watcher.settle(), wait(SETTLED_WITHIN_MS)]);
    this.records.finish(id);
    await this.ports.look();
    const wants = this.records.wantsOf(id);
    const alive = processesOf(this.#namespaces.init, id);
    if (alive.length === 0) this.#drop(id);
    return { wants, alive };
  }

  /** Forgets finished runs whose processes are gone. */
  sweep(): void {
    const { finished } = this.records;
    if (finished.length === 0) return;
    const alive = new Set(runsInside(this.#namespaces.init).values());
    for (const id of finished) if (!alive.has(id)) this.#drop(id);
  }

  #drop(id: string): void {
    this.#names.get(id)?.close();
    this.#names.delete(id);
    this.#hosts.drop(id);
    this.#addresses.drop(id);
    this.#decoys.drop(id);
    this.records.drop(id);
    removeTree(`${RUNS}/${id}`);
  }

  /** Opens a name server for one run, and gives its address. */
  async #answerNames(id: string): Promise<string> {
    this.#lastNumber = (this.#lastNumber % 0xfff0) + 1;
    const address = `127.77.${this.#lastNumber >> 8}.${this.#lastNumber & 0xff}`;
    const server = await this.#inside.names(address);
    this.#names.set(id, server);
    server.on("error", () => {});
    server.on("message", (query, from) => {
      this.#answer(id, server, query, from).catch(() => {});
    });
    return address;
  }

  async #answer(id: string, server: Datagrams, query: Buffer, { address, port }: RemoteInfo): Promise<void> {
    if (this.#underWay >= MOST_QUERIES) return;
    this.#underWay += 1;
    const answer = await dnsAnswer(query, (name) => this.#addressesOf(id, name)).finally(() => {
      this.#underWay -= 1;
    });
    if (answer !== undefined && this.#names.get(id) === server) server.send(answer, port, address, () => {});
  }

  async #addressesOf(id: string, name: string) {
    const host = name.replace(/\.$/, "");
    if (!this.records.has(id)) return undefined;
    const named = this.#addresses.take(id, host, this.records.portsOf(id, host).length > 0);
    // Else a process of the place would be reached by that name.
    if (named?.isOpen === true && !(await this.#hosts.openName(named))) return undefined;
    return (
      named && { four: named.four, six: this.#namespaces.network.endsWith(" 6") ? named.six : undefined }
    );
  }

  #packet(bytes: Buffer, isRefused: boolean): void {
    const packet = readPacket(bytes);
    if (packet === undefined || IS_GROUP.test(packet.to.address)) return;
    const { protocol, to } = packet;
    // A listener looks up the other end itself.
    const isListened = protocol === "tcp" && this.#hosts.has(to.address, to.port);
    if (isRefused && (OWN_ADDRESSES.includes(to.address) || isListened)) return;
    const named = this.#addresses.of(to.address);
    const host = named?.host ?? to.address;
    const by = this.#owners.senderOf(packet) ?? named?.run;
    // Programs that try datagrams first then connect, which they may.
    if (protocol === "tcp" || !this.records.mayReach(by, host, to.port))
      this.records.record(by, { kind: "host", host, port: to.port, protocol });
    if (!isRefused) this.#watcher.send(refusalOf(packet));
  }
}

const IS_GROUP = /^(?:2(?:2[4-9]|3\d)\.|255\.255\.255\.255$|ff[\da-f]{2}:)/;
