/**
 * The client that the official conformance package runs: our connection, doing what each scenario expects of a
 * client. The package gives the server's address as the last argument and names the scenario in the environment.
 */
import { connect } from "../../packages/mcp/src/connection/connect.ts";
import { memoryTokenStore } from "../../packages/mcp/src/connection/oauth/token-store.ts";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context: { readonly client_id?: string; readonly client_secret?: string } = JSON.parse(
  process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}",
);
const url = process.argv.at(-1) ?? "";

const connection = connect(
  { kind: "http", name: "conformance", url, headers: {}, isOfProject: false },
  { backoffMs: [60_000], oauth: await loginOptions(), settings: { timeoutMs: 60_000 } },
);
await connection.tried;
if (connection.status.state === "ready") await work().catch((error: Error) => console.error(error.message));
console.error(connection.status.state, connection.status.reason ?? "");
const { state } = connection.status;
await connection.close();
process.exit(state === "ready" ? 0 : 1);

async function work(): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const tools = await connection.listTools();
  // Whatever a server asks is left empty, so that its defaults hold.
  const ask = async (questions: readonly unknown[]) => questions.map(() => []);
  for (const { name } of tools)
    await connection.call({ tool: name, arguments: argumentsOf(name), signal, ask });
}

function argumentsOf(tool: string): Readonly<Record<string, unknown>> {
  return tool === "add_numbers" ? { a: 5, b: 3 } : {};
}

async function loginOptions() {
  const { client_id: id, client_secret: secret } = context;
  const given = {
    ...(id === undefined ? {} : { id }),
    ...(secret === undefined ? {} : { secret, issuer: await issuerOfServer() }),
    ...(scenario === "auth/basic-cimd"
      ? { metadataUrl: "https://conformance-test.local/client-metadata.json" }
      : {}),
  };
  return { store: memoryTokenStore(), client: given, confirm: async () => true, open: followPage };
}

/** A person would know where they registered the client; here only the server does. */
async function issuerOfServer(): Promise<string> {
  const challenge = (await fetch(url, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const [, page = ""] = /resource_metadata="([^"]*)"/.exec(challenge) ?? [];
  const { authorization_servers: issuers = [] } = (await (await fetch(page)).json()) as {
    authorization_servers?: string[];
  };
  return issuers[0] ?? "";
}

/** What a browser would do, with a person who agrees to everything. */
async function followPage(page: URL): Promise<void> {
  const answer = await fetch(page, { redirect: "manual" });
  const back = answer.headers.get("location");
  if (back !== null) await fetch(back);
}
