import type { Proxies } from "../../../network/proxies.ts";

/** What a client and the keeper of a place tell each other over its socket: JSON, one message per line. */
export type PlaceRequest = { readonly id: number } & (
  | { readonly do: "join" | "end" }
  | { readonly do: "keep"; readonly pid: number; readonly startedAt: number }
  | { readonly do: "begin"; readonly run: RunRequest }
  | { readonly do: "finish"; readonly run: string }
);

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

/** The place as its keeper knows it. */
interface PlaceState {
  readonly version: number;
  readonly project: string;
  readonly init: number;
  readonly startedAt: number;
  readonly isExact: boolean;
}

/** What came of a run. */
export interface RunResult {
  readonly wants: readonly Want[];
  /** Its processes that still run, by their ids outside of the place. */
  readonly alive: readonly number[];
}

export type PlaceReply = { readonly id: number } & (
  | { readonly is: "joined"; readonly place: PlaceState }
  | { readonly is: "begun"; readonly mounts: readonly RunMount[] }
  | { readonly is: "finished"; readonly result: RunResult }
  | { readonly is: "done" }
  | { readonly is: "refused"; readonly reason: string }
);

/** What a keeper is started with, as JSON in this variable of its environment. */
export const SETTINGS = "TOOLKEEP_PLACE";

export interface KeeperSettings {
  readonly folder: string;
  readonly project: string;
  readonly programs: PlacePrograms;
  /** The program of the process that opens sockets inside. */
  readonly inside: string;
  readonly proxies: Proxies;
}

/** Where the programs are that a place is made with. */
export interface PlacePrograms {
  readonly bwrap: string;
  readonly ip: string;
  readonly nsenter: string;
  readonly perl: string;
  readonly unshare: string;
}

/** Clients and keepers of another version do not talk to each other. */
export const PLACE_VERSION = 1;

/** Names in the folder of a place. */
export const CONTROL = "control";
/** Each run has a folder here as long as a process of it runs. */
export const RUNS = "runs";

export function lineOf(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}
