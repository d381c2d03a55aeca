import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { HARMLESS } from "../../day/clients/claude-code.ts";
import { clientCalled } from "../../day/clients/clients.ts";
import type { ModelCall } from "../../day/clients/protocols/protocol.ts";
import type { RealClient } from "../../day/clients/real-client.ts";
import { startModel } from "../../day/clients/scripted-model.ts";
import { openTexts } from "../../day/clients/texts.ts";
import type { Shop } from "../../day/hook/shop.ts";
import { type ClientCall, read } from "../../day/step.ts";
import { HOME } from "../day.ts";
import { type Agent, LONGEST_MS, NOWHERE, type RealPlay } from "./agent.ts";
import type { Made, Said } from "./governor.ts";
import { ENVIRONMENT } from "./person.ts";
import type { Ran } from "./shell.ts";

/** Where the package of the client is in the world. */
export const CLIENT_FOLDER = "/usr/local/client";
/** What a command in the background has done by then is its result. */
const SETTLED_MS = 2_500;
/** Codex returns after this, whatever the command does. */
const LONGEST_YIELD_MS = 30_000;
/** A refusal by a hook or by the client, and no output of a command. */
const REFUSED =
  /^(?:PreToolUse:\w+ hook error:|Permission (?:to use|for this)|Claude requested permissions|The user said no)|blocked by PreToolUse hook|^exec_command failed: CreateProcess \{ message: "Rejected\(/;

/** A client as its makers publish it: a scripted model makes its calls, and sees what became of them. */
export function realAgent({ client: name, mode }: RealPlay, project: string): Agent {
  const client = clientCalled(name);
  let current: Conversation | undefined;
  const conversationFor = async (id: string) => {
    if (current?.id === id) return current;
    await current?.end();
    current = await openConversation(id, { client, mode, project });
    return current;
  };
  return {
    async make(made, { kind, agrees, onTimeout }) {
      const conversation = await conversationFor(made.conversation);
      conversation.person = { agrees };
      // A command that takes too long is seen while it runs.
      const timer = setTimeout(() => onTimeout?.(), LONGEST_MS[kind] - 1_000);
      try {
        return await played(conversation, { made, client, project, longestMs: LONGEST_MS[kind] });
      } finally {
        clearTimeout(timer);
      }
    },
    async stop() {
      await current?.end();
    },
  };
}

/** Without Toolkeep there is the same file, and nothing in it. */
export function removeHooks({ client }: RealPlay, project: string): void {
  writeFileSync(clientCalled(client).settings(shopIn(project)), "{}\n");
}

function shopIn(project: string): Shop {
  return { home: HOME, project, environment: ENVIRONMENT, remove: () => undefined };
}

interface Conversation {
  readonly id: string;
  person: { readonly agrees: boolean; asked?: string };
  /** What the model is told about a call. */
  call(call: ModelCall): Promise<string>;
  end(): Promise<void>;
}

interface Playing {
  readonly client: RealClient;
  readonly mode: string;
  readonly project: string;
}

async function openConversation(id: string, { client, mode, project }: Playing): Promise<Conversation> {
  const calls: ModelCall[] = [];
  const results: string[] = [];
  let isOver = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const model = await startModel({
    calls: {
      async next(index) {
        while (!isOver && calls[index] === undefined) await changed.promise;
        return calls[index];
      },
      seen(index, result) {
        results[index] ??= result;
        change();
      },
    },
    aside: HARMLESS,
  });
  const conversation: Conversation = {
    id,
    person: { agrees: false },
    async call(call) {
      const index = calls.push(call) - 1;
      change();
      while (results[index] === undefined) {
        if (isOver) throw new Error(`${client.name} ended before it answered: ${await playing}`);
        await changed.promise;
      }
      return results[index];
    },
    async end() {
      isOver = true;
      change();
      await playing;
      await model.close();
    },
  };
  const decide = (words: string) => {
    conversation.person.asked = words;
    return conversation.person.agrees;
  };
  const program = join(CLIENT_FOLDER, client.package.program);
  const playing = client.play({ program, shop: shopIn(project), mode, model, decide }).finally(() => {
    isOver = true;
    change();
  });
  return conversation;
}

interface Step {
  readonly made: Made;
  readonly client: RealClient;
  readonly project: string;
  readonly longestMs: number;
}

async function played(
  conversation: Conversation,
  { made, client, project, longestMs }: Step,
): Promise<{ readonly said: Said; readonly ran?: Ran }> {
  const isBehind = made.call.input["run_in_background"] === true;
  let seen = "";
  const until = performance.now() + longestMs;
  for (const call of callsFor(client, made.call))
    seen = await conversation.call(limited(call, { longestMs, isBehind }));
  for (let session = sessionIn(seen); session !== undefined && !isBehind; session = sessionIn(seen)) {
    const isLate = performance.now() > until;
    // Codex shows a command that takes longer as a session, in which it can be interrupted.
    const input = { session_id: session, chars: isLate ? "\u0003" : "", yield_time_ms: LONGEST_YIELD_MS };
    const more = await conversation.call({ tool: "write_stdin", input });
    seen = joinedOutput(seen, more);
    if (isLate) break;
  }
  const { asked, agrees } = conversation.person;
  if (asked !== undefined && !agrees) return { said: { action: "ask", reason: asked } };
  if (REFUSED.test(seen)) return { said: { action: "deny", reason: seen } };
  const said: Said = asked === undefined ? { action: "none", reason: "" } : { action: "ask", reason: asked };
  if (made.call.tool !== "Bash") return { said, ran: { ...NOWHERE, folder: made.folder } };
  if (isBehind) await wait(SETTLED_MS);
  return { said, ran: { ...ranAs(seen), folder: project } };
}

/** An edit needs that the file was read, and replaces whole files only then. */
function callsFor(client: RealClient, call: ClientCall): readonly ModelCall[] {
  const calls = client.calls(call, openTexts());
  const path = String(call.input["file_path"]);
  const isOver = call.tool === "Write" && client.name === "claude-code" && existsSync(path);
  return isOver ? [read(path), ...calls] : calls;
}

function limited(
  { tool, input }: ModelCall,
  { longestMs, isBehind }: { readonly longestMs: number; readonly isBehind: boolean },
): ModelCall {
  if (tool === "Bash" && !isBehind) return { tool, input: { ...input, timeout: longestMs } };
  if (tool !== "exec_command") return { tool, input };
  const yield_time_ms = isBehind ? SETTLED_MS : Math.min(longestMs, LONGEST_YIELD_MS);
  return { tool, input: { ...input, yield_time_ms } };
}

const OUTPUT = /^Output:\n?/m;

/** The number of a session of Codex in which a command still runs. */
function sessionIn(seen: string): number | undefined {
  const [head = ""] = seen.split(OUTPUT);
  const [, number] = /^Process running with session ID (\d+)/m.exec(head) ?? [];
  return number === undefined ? undefined : Number(number);
}

function joinedOutput(one: string, more: string): string {
  const [head = "", ...rest] = more.split(OUTPUT);
  return `${head}Output:\n${one.split(OUTPUT).slice(1).join("")}${rest.join("")}`;
}

/** How a command ended, in the words of the client. */
function ranAs(seen: string): Omit<Ran, "folder"> {
  const [, file] =
    /Command running in background with ID: \S+ Output is being written to: (\S+?)\.?(?:\s|$)/.exec(seen) ??
    [];
  if (file !== undefined)
    return { exit: "running", output: existsSync(file) ? readFileSync(file, "utf8") : "" };
  const [head = "", ...rest] = seen.split(OUTPUT);
  const [, code] = /^Process exited with code (-?\d+)/m.exec(head) ?? [];
  if (code !== undefined) return { exit: Number(code), output: rest.join("") };
  if (sessionIn(seen) !== undefined) return { exit: "running", output: rest.join("") };
  const [failure = "", exit] = /^Exit code (\d+)\n?/.exec(seen) ?? [];
  if (exit !== undefined) return { exit: Number(exit), output: seen.slice(failure.length) };
  return { exit: /^Command timed out|timed out after/.test(seen) ? "timeout" : 0, output: seen };
}
