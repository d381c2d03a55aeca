import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  createRegistry,
  createSession,
  type Registry,
  type SessionOptions,
  type ToolResult,
} from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import type { AcceptedServers } from "../../../packages/mcp/src/servers/accepted-servers.ts";
import { memoryAcceptedServers } from "../../../packages/mcp/src/servers/memory-accepted-servers.ts";
import type { StdioServer } from "../../../packages/mcp/src/servers/server-entry.ts";
import type {
  ConsentRequest,
  McpSource,
  McpSourceOptions,
  ServerReport,
} from "../../../packages/mcp/src/source/mcp-source.ts";
import { openMcpSource } from "../../../packages/mcp/src/source/open-mcp-source.ts";
import type { ToldServer } from "./told.ts";

const SERVER = join(import.meta.dirname, "told-server.ts");

/** Real servers that say what they are told, a source of them, and sessions over what it registers. */
export class Stage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-mcp-attacks-")));
  readonly registry: Registry = createRegistry();
  /** What a person was asked to look at. */
  readonly asked: ConsentRequest[] = [];
  readonly accepted: AcceptedServers = memoryAcceptedServers();
  readonly #sources: McpSource[] = [];

  get workspace(): string {
    const path = join(this.folder, "workspace");
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Where servers find what they are told. */
  get told(): string {
    const path = join(this.folder, "told");
    mkdirSync(path, { recursive: true });
    return path;
  }

  source(options: Partial<McpSourceOptions> = {}): McpSource {
    const source = openMcpSource({
      registry: this.registry,
      accepted: this.accepted,
      consent: async (request) => {
        this.asked.push(request);
        return false;
      },
      ...options,
    });
    this.#sources.push(source);
    return source;
  }

  /** How a server of that name is started; what it is told may be changed while it runs. */
  entry(name: string, told: ToldServer, fields: Partial<StdioServer> = {}): StdioServer {
    this.tell(name, told);
    const args = ["--no-warnings", SERVER, this.#path(name, "json"), this.#path(name, "log")];
    return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env: {}, ...fields };
  }

  tell(name: string, told: ToldServer): void {
    writeFileSync(this.#path(name, "json"), JSON.stringify(told));
  }

  /** What a server was asked so far; it was never started if there is nothing. */
  log(name: string): readonly string[] {
    const path = this.#path(name, "log");
    return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  }

  /** One call in a session of its own, in which the approver gives this answer. */
  async call(
    call: AttackCall,
    answer: "once" | "reject" = "once",
    options: SessionOptions = {},
  ): Promise<Called> {
    const approver = scriptedApprover(answer, () => [["yes"]]);
    const variables = { workspace: [this.workspace] };
    const session = await createSession({ registry: this.registry, variables, approver, ...options });
    try {
      const result = await session.call({ id: "c1", name: call.tool, arguments: call.args ?? {} } as never);
      return {
        result,
        asked: approver.requests.length,
        questions: approver.questions.map((one) => JSON.stringify(one)),
      };
    } finally {
      await session.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #path(name: string, kind: "json" | "log"): string {
    return join(this.told, `${name}.${kind}`);
  }
}

export interface AttackCall {
  readonly tool: string;
  readonly args?: unknown;
}

interface Called {
  readonly result: ToolResult;
  readonly asked: number;
  readonly questions: readonly string[];
}

/** What is known of one server. */
export function reportOf(source: McpSource, name: string): ServerReport {
  const report = source.servers.find(({ entry }) => entry.name === name);
  if (report === undefined) throw new Error(`There is no server ${name}.`);
  return report;
}

/** Waits for something that comes about by itself. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (isSo()) return;
    await pause(20);
  }
  throw new Error(`It did not come about: ${what}.`);
}
