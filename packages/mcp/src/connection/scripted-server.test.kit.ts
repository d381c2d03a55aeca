/**
 * A server of the older revision, written by hand so that it can misbehave. Run as a program; its argument says how
 * it meets the first request: `legacy`, `exits` or `silent`.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const [, , greeting = "legacy"] = process.argv;
const cancelled: unknown[] = [];
const seen: unknown[] = [];
let held: Request | undefined;
const waiting = new Map<string, (answer: Request) => void>();
let isDeaf = false;

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id: unknown, result: object) => write({ id, result });
const say = (id: unknown, value: unknown) =>
  answer(id, {
    content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  });

function askClient(id: string, method: string, params: object): Promise<Request> {
  write({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const tools: Record<string, (request: Request, args: Record<string, unknown>) => unknown> = {
  echo: ({ id }, { text }) => say(id, `${text}`),
  environment: ({ id }) => say(id, process.env),
  folder: ({ id }) => say(id, process.cwd()),
  sleep: ({ id }, { ms }) => setTimeout(() => say(id, "slept"), Number(ms)),
  cancelled: ({ id }) => say(id, cancelled),
  fail: ({ id }) => write({ id, error: { code: -32_603, message: "It broke.".padEnd(10_000, "!") } }),
  crash: () => process.kill(process.pid, "SIGKILL"),
  huge: ({ id }, { bytes }) => say(id, "x".repeat(Number(bytes))),
  deaf: () => {
    isDeaf = true;
  },
  garbage: ({ id }, { lines }) => {
    for (let at = 0; at < Number(lines); at += 1) process.stdout.write(`not json ${at}\n`);
    say(id, "after garbage");
  },
  flood: () => {
    setInterval(() => {
      for (let at = 0; at < 500; at += 1) write({ method: "notifications/tools/list_changed" });
    }, 10);
  },
  changes: ({ id }) => {
    for (let at = 0; at < 20; at += 1) write({ method: "notifications/tools/list_changed" });
    say(id, "told");
  },
  hold: (request) => {
    held = request;
  },
  step: ({ id }, { progress, total }) => {
    const progressToken = held?.params?._meta?.progressToken;
    const params = { progressToken, progress, total, message: `step ${progress}` };
    write({ method: "notifications/progress", params });
    say(id, "stepped");
  },
  release: ({ id }) => {
    say(held?.id, "done");
    say(id, "released");
  },
  mark: ({ id }, { file }) => {
    say(id, "marked");
    writeFileSync(`${file}`, "");
  },
  seen: ({ id }) => say(id, seen),
  family: ({ id }) => {
    const child = spawn(
      process.execPath,
      ["-e", "setInterval(() => {}, 1000); process.on('SIGTERM', () => {})"],
      {
        stdio: "ignore",
      },
    );
    const strayed = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      stdio: "ignore",
      detached: true,
    });
    strayed.unref();
    say(id, [process.pid, child.pid, strayed.pid]);
  },
  ask: async ({ id }, { message, schema, mode, url }) => {
    const params =
      mode === "url" ? { mode, message, url, elicitationId: "1" } : { message, requestedSchema: schema };
    const { result, error } = await askClient(`ask-${id}`, "elicitation/create", params);
    say(id, result ?? error);
  },
  sample: async ({ id }) => {
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
    const { error } = await askClient(`sample-${id}`, "sampling/createMessage", { messages, maxTokens: 9 });
    say(id, error?.message);
  },
};

function receive(line: string): void {
  const request: Request = JSON.parse(line);
  if (isDeaf) return;
  const { id, method, params } = request;
  seen.push(method);
  if (method === undefined) waiting.get(`${id}`)?.(request);
  if (method === "server/discover" && greeting === "exits") process.exit(3);
  if (method === "server/discover" && greeting === "silent") return;
  if (method === "notifications/cancelled") cancelled.push(params?.requestId);
  if (method === "ping") answer(id, {});
  else if (method === "initialize") answer(id, greetingOf());
  else if (method === "tools/list") answer(id, { tools: Object.keys(tools).map(toolOf) });
  else if (method === "tools/call") tools[params?.name ?? ""]?.(request, params?.arguments ?? {});
  else if (id !== undefined) write({ id, error: { code: -32_601, message: "Method not found" } });
}

function greetingOf() {
  return {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1.2.3" },
    instructions: "Be kind.",
  };
}

function toolOf(name: string) {
  return { name, description: name, inputSchema: { type: "object" } };
}

process.stderr.write(`started with ${process.env["SECRET_VALUE"] ?? "nothing"}\n`);
createInterface({ input: process.stdin }).on("line", receive);
