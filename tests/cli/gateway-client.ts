import { Client, type ElicitRequest, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export interface ClientOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers forms. Left out: the client cannot be asked. */
  elicit?(params: ElicitRequest["params"]): ElicitResult;
}

/** An MCP client that starts a server from an entry of a client's configuration. */
export async function gatewayClient({ command, args, cwd, env, elicit }: ClientOptions) {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    cwd,
    env: { ...env },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const capabilities = elicit === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  await client.connect(transport);
  return {
    client,
    pid: transport.pid,
    stderr: () => stderr,
    /** The text of a call's result. */
    async call(name: string, args: Readonly<Record<string, unknown>>) {
      const result = await client.callTool({ name, arguments: { ...args } });
      const blocks = (result.content ?? []) as readonly { readonly type: string; readonly text?: string }[];
      const text = blocks.map((block) => block.text ?? "").join("\n");
      return { text, isError: result.isError === true, structured: result.structuredContent };
    },
  };
}

export type GatewayClient = Awaited<ReturnType<typeof gatewayClient>>;
