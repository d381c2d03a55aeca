import type { Session } from "./real-client.ts";
import { runClient } from "./run-client.ts";

interface AcpClient {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** How it is logged in, if it has to be told. */
  readonly login?: string;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly options?: readonly Option[] };
  readonly result?: { readonly sessionId?: string };
  readonly error?: unknown;
}

interface Option {
  readonly optionId: string;
  readonly kind: string;
}

const MOST_TURNS = 40;

/** Plays the script over the Agent Client Protocol, as an editor talks to an agent: its questions come as requests. */
export function playOverAcp({ argv, environment, login }: AcpClient, session: Session): Promise<string> {
  const { shop, model } = session;
  let last = 0;
  let chat: string | undefined;
  let turns = 0;
  const call = (method: string, params: unknown) => {
    last += 1;
    return { jsonrpc: "2.0", id: last, method, params };
  };
  const first = call("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const requests = [
    ...(login === undefined ? [] : [() => call("authenticate", { methodId: login })]),
    () => call("session/new", { cwd: shop.project, mcpServers: [] }),
  ];
  return runClient({
    ...{ argv, cwd: shop.project, environment, first: [first], isOver: model.isDone },
    onLine(line, send, end) {
      const message = JSON.parse(line) as Message;
      if (message.method !== undefined) {
        if (message.id !== undefined) send(answerTo(message, session));
        return;
      }
      if (message.error !== undefined) return end();
      chat ??= message.result?.sessionId;
      const request = requests.shift();
      if (request !== undefined) return send(request());
      turns += 1;
      if (model.isDone() || turns > MOST_TURNS) return end();
      send(call("session/prompt", { sessionId: chat, prompt: [{ type: "text", text: "Continue." }] }));
    },
  });
}

function answerTo({ id, method, params }: Message, { decide }: Session): unknown {
  if (method !== "session/request_permission")
    return { jsonrpc: "2.0", id, error: { code: -32_601, message: "There is no such method." } };
  const wanted = decide(JSON.stringify(params)) ? "allow_once" : "reject_once";
  const chosen = params?.options?.find(({ kind }) => kind === wanted);
  const outcome =
    chosen === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: chosen.optionId };
  return { jsonrpc: "2.0", id, result: { outcome } };
}
