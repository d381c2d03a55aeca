import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { createSession } from "@toolkeep/core";
import { connect } from "../../../packages/mcp/src/connection/connect.ts";
import { openGateway } from "../../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryAcceptedServers } from "../../../packages/mcp/src/servers/memory-accepted-servers.ts";
import type { ServerEntry } from "../../../packages/mcp/src/servers/server-entry.ts";
import { BEHAVIOURS, type Behaviour } from "./behaviour.ts";

/** How long one call may take without a sign of life, and at all. */
export const TIMES = { timeoutMs: 300, longestMs: 700 };

/** What became of one call. */
export interface ChaosCall {
  readonly server: string;
  readonly behaviour: Behaviour;
  readonly ok: boolean;
  readonly code: string | undefined;
  readonly tookMs: number;
}

const PROGRAMS = ["one", "two"];
const CALLS_AT_ONCE = 5;
/** So many of them ask for nothing special. */
const ANSWERED = 2;

/** A gateway in front of servers that do what a call tells them. */
export async function openCampaign(random: () => number) {
  const marker = `chaos-${randomUUID()}`;
  const web = await startWeb(marker);
  const names = [...PROGRAMS, "shaky", "web"];
  const gateway = await openGateway({
    servers: [
      ...PROGRAMS.map((name) => program(name, marker, 0)),
      program("shaky", marker, 3),
      { kind: "http", name: "web", isOfProject: false, url: web.url, headers: {} },
    ],
    accepted: memoryAcceptedServers(),
    settings: Object.fromEntries(names.map((name) => [name, TIMES])),
    // Sooner than usual, so that most calls meet a server that is there.
    connect: (entry, options) => connect(entry, { ...options, backoffMs: [50, 100, 200] }),
    // The user reviews what changed and accepts it.
    consent: async () => true,
    open: (parts) =>
      createSession({
        ...parts,
        policy: { rules: [{ permission: "*", action: "allow" }], builtIn: "off" },
        limits: { retry: { attempts: 1 } },
      }),
  });
  await gateway.started;
  let calls = 0;
  let behaviours = 0;
  const nextBehaviour = () => BEHAVIOURS[behaviours++ % BEHAVIOURS.length] as Behaviour;

  async function call(server: string, behaviour: Behaviour): Promise<ChaosCall> {
    calls += 1;
    const name = random() < 0.9 ? `${server}_act` : `${server}_moody`;
    const start = performance.now();
    const { ok, failure } = await gateway.session.call({
      id: `c${calls}`,
      name,
      arguments: { do: behaviour },
    });
    return { server, behaviour, ok, code: failure?.code, tookMs: performance.now() - start };
  }

  return {
    marker,
    gateway,
    /** Several calls at once, each to some server. Every behaviour comes up as often as any other. */
    round(): Promise<readonly ChaosCall[]> {
      const asked = Array.from({ length: CALLS_AT_ONCE }, (_, index) => {
        const server = names[Math.floor(random() * names.length)] as string;
        return call(server, index < ANSWERED ? "answer" : nextBehaviour());
      });
      return Promise.all(asked);
    },
    /** Gives those that were lost some time to come back. */
    async settled(): Promise<void> {
      for (let waited = 0; waited < 400; waited += 20) {
        if (gateway.source.servers.every(({ status }) => status.state === "ready")) return;
        await pause(20);
      }
    },
    async close() {
      await gateway.close();
      await web.close();
    },
  };
}

/** In a process of its own, so that what it floods us with does not take its time from ours. */
async function startWeb(marker: string) {
  const file = join(import.meta.dirname, "http-server.ts");
  const child = spawn(process.execPath, ["--no-warnings", file, marker], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url,
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

function program(name: string, marker: string, dies: number): ServerEntry {
  const args = ["--no-warnings", join(import.meta.dirname, "stdio-server.ts"), String(dies), marker];
  return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env: {} };
}
