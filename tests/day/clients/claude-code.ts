import { join } from "node:path";
import { bash, read } from "../step.ts";
import type { RealClient, Session } from "./real-client.ts";
import { runClient } from "./run-client.ts";

/** Its classifier of `auto` reads this as harmless. */
export const HARMLESS = "<severity>0</severity>";

/** Claude Code, driven as an editor drives it: its questions come as messages, and are answered by one. */
export const claudeCode: RealClient = {
  name: "claude-code",
  package: {
    ...{ name: "@anthropic-ai/claude-code", version: "2.1.325" },
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  modes: ["auto", "default", "acceptEdits", "bypassPermissions"],
  permissive: "bypassPermissions",
  recorded: "default",
  settings: ({ project }) => join(project, ".claude/settings.local.json"),
  calls(call) {
    const { tool, input } = call;
    // This version has no tool for it.
    if (tool === "Grep") return [bash(`grep -rn ${String(input["pattern"])} src`)];
    if (tool === "WebFetch" || tool === "WebSearch")
      return [{ tool: "ToolSearch", input: { query: `select:${tool}` } }, call];
    return tool === "Edit" ? [read(String(input["file_path"])), call] : [call];
  },
  isRefused: (result) =>
    /hook error:|denied by|permission to use|requested permissions|rejected/i.test(result),
  play: (session) =>
    runClient({
      argv: [session.program, ...ARGS, "--permission-mode", session.mode],
      cwd: session.shop.project,
      environment: environmentOf(session),
      first: [{ type: "control_request", request_id: "first", request: { subtype: "initialize" } }, RESUME],
      onLine: answering(session),
    }),
};

const ARGS = [
  ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
  ...["--permission-prompt-tool", "stdio"],
];

const RESUME = { type: "user", message: { role: "user", content: "Continue." } };

function environmentOf({ shop, model }: Session): Readonly<Record<string, string>> {
  return {
    ...shop.environment,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: "sk-made-up-0000000000000000000000000",
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1" },
    ...{ DISABLE_ERROR_REPORTING: "1", DISABLE_BUG_COMMAND: "1" },
    // The classifier of `auto` asks the model that was set, and not a server of the maker.
    CLAUDE_CODE_AUTO_MODE_SERVER: "0",
  };
}

const MOST_TURNS = 40;

/** Answers its questions, and asks it to go on if it ends its turn before the script ends. */
function answering({ model, decide }: Session) {
  let turns = 0;
  return (line: string, send: (message: unknown) => void, end: () => void) => {
    const { type, request_id, request } = JSON.parse(line);
    if (type === "control_request" && request?.subtype === "can_use_tool") {
      const response = decide(JSON.stringify(request))
        ? { behavior: "allow", updatedInput: request.input }
        : { behavior: "deny", message: "The user said no." };
      send({ type: "control_response", response: { subtype: "success", request_id, response } });
    }
    if (type !== "result") return;
    turns += 1;
    if (model.isDone() || turns >= MOST_TURNS) end();
    else send(RESUME);
  };
}
