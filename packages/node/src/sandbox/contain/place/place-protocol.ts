import type { Socket } from "node:net";
import type { Proxies } from "../../../network/proxies.ts";
import { messageReader } from "../../../processes/spawner-protocol.ts";

/** What a client asks the keeper of a place over its socket: JSON, one message per line. */
export type PlaceQuestion =
  | { readonly do: "join" | "end" }
  | { readonly do: "keep"; readonly pid: number; readonly startedAt: number }
  | { readonly do: "begin"; readonly run: RunRequest }
  | { readonly do: "finish"; readonly run: string };
export type PlaceRequest = PlaceQuestion & { readonly id: number };

/** What the keeper answers to each of them. */
export interface PlaceAnswers {
  readonly join: PlaceState;
  readonly keep: undefined;
  readonly begin: readonly RunMount[];
  readonly finish: RunResult;
  readonly end: undefined;
}
export interface PlaceReply {
  readonly id: number;
  readonly answer?: PlaceAnswers[PlaceQuestion["do"]];
  /** Why there is none. */
  readonly refused?: string;
}

/** What a command may reach, and what it is shown instead of what it may not. */
export interface RunRequest {
  /** Letters, digits and dashes; never given twice in a place. */
  readonly id: string;
  readonly hosts: readonly HostAndPort[];
  /** Ports of the user's loopback that it may reach. */
  readonly ports: readonly number[];
  readonly decoys: readonly Decoy[];
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface Decoy {
  /** Absolute, as the command sees it. */
  readonly path: string;
  /** `names`: a folder with the names of some of its files. */
  readonly kind: "file" | "folder" | "names" | "socket";
}

/** Something that a command reached for and did not get. */
export type Want =
  | { readonly kind: "host"; readonly host: string; readonly port: number; readonly protocol: "tcp" | "udp" }
  | { readonly kind: "loopback"; readonly port: number }
  | { readonly kind: "socket" | "secret"; readonly path: string };

/** Something that is mounted read-only for a run. */
export interface RunMount {
  readonly path: string;
  readonly source: string;
}

interface PlaceState {
  readonly version: number;
  readonly project: string;
  /** Its first process, and when that started. */
  readonly init: number;
  readonly startedAt: number;
}

export interface RunResult {
  readonly wants: readonly Want[];
  /** Its processes that still run, by their ids outside of the place. */
  readonly alive: readonly number[];
}

/** What a keeper is started with, as JSON in this variable of its environment. */
export const SETTINGS = "TOOLKEEP_PLACE";

export interface KeeperSettings {
  readonly folder: string;
  readonly project: string;
  readonly programs: Readonly<Record<(typeof PLACE_PROGRAMS)[number], string>>;
  /** The program of the process that opens sockets inside. */
  readonly inside: string;
  readonly proxies: Proxies;
}

export const PLACE_PROGRAMS = ["bwrap", "ip", "nsenter", "perl", "unshare"] as const;

/** Clients and keepers of another version do not talk to each other. */
export const PLACE_VERSION = 2;

/** Names in the folder of a place. */
export const CONTROL = "control";
/** Each run has a folder here as long as a process of it runs. */
export const RUNS = "runs";

/** Takes the messages of the other end, until it sends what is none. */
export function readMessages<Message>(socket: Socket, take: (message: Message) => void): void {
  const read = messageReader<Message>(take);
  socket.setEncoding("utf8").on("error", () => {});
  socket.on("data", (chunk: string) => {
    try {
      read(chunk);
    } catch {
      socket.destroy();
    }
  });
}

export function sendMessage(socket: Socket, message: PlaceRequest | PlaceReply): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** For a small process of Node, without a debugger, and quiet. */
export function nodeFlags(megabytes: number): readonly string[] {
  const rest = ["--max-semi-space-size=1", "--disable-sigusr1", "--no-warnings"];
  return [`--max-old-space-size=${megabytes}`, ...rest];
}
