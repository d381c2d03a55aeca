import {
  type CompleteRequest,
  type CompleteResult,
  type GetPromptResult,
  type LoggingLevel,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { type Decision, type Session, ToolFailure } from "@toolkeep/core";
import { defined, harmlessText, unlessThrown } from "@toolkeep/core/internal";
import type { Connection } from "../connection/news/connection.ts";
import type { Offers, RunTool } from "../serving/offers.ts";
import type { McpSource } from "../source/mcp-source.ts";
import { gatewayStatus } from "./gateway-status.ts";
import { isReadingServer } from "./gateway-tools.ts";
import { resourceContents } from "./resource-contents.ts";
import { type Listed, ServerLists } from "./server-lists.ts";

export interface ServerOffersParts {
  readonly source: McpSource;
  readonly session: Pick<Session, "tools" | "explain">;
  promptName(server: string, prompt: string): string;
  /** What is done before every call, also before what only reads a prompt or a completion. */
  beforeCall?(): Promise<void>;
  /** Missing where logs must not be passed on. */
  readonly wantLogs?: Offers["wantLogs"];
  onNote(note: string): void;
}

/** The resource where a client reads the status of the servers. */
export const STATUS_URI = "toolkeep://status";

const MOST_VALUES = 100;
const LONGEST_VALUE = 500;

/** What is completed, by the server's own name for it. */
interface CompletedAt {
  readonly connection: Connection;
  readonly ref: CompleteRequest["params"]["ref"];
}

/** Resources and prompts of all servers. Reading a resource is a call like any other. */
export class ServerOffers implements Offers {
  readonly wantLogs?: (level: LoggingLevel | undefined) => void;
  readonly #parts: ServerOffersParts;
  readonly #resources: ServerLists<Resource>;
  readonly #templates: ServerLists<ResourceTemplateType>;
  readonly #prompts: ServerLists<Prompt>;

  constructor(parts: ServerOffersParts) {
    const { source } = parts;
    this.#parts = parts;
    const { wantLogs } = parts;
    if (wantLogs !== undefined) this.wantLogs = (level) => wantLogs(level);
    const hasResources = ({ server }: Connection) => server?.capabilities.resources !== undefined;
    const hasPrompts = ({ server }: Connection) => server?.capabilities.prompts !== undefined;
    this.#resources = new ServerLists(source, hasResources, (one) => one.listResources());
    this.#templates = new ServerLists(source, hasResources, (one) => one.listResourceTemplates());
    this.#prompts = new ServerLists(source, hasPrompts, (one) => one.listPrompts());
  }

  /** Call it when a list may have changed. */
  forget(server: string): void {
    for (const lists of [this.#resources, this.#templates, this.#prompts]) lists.forget(server);
  }

  async resources(): Promise<readonly Resource[]> {
    const status = {
      uri: STATUS_URI,
      name: "status",
      title: "Status of the MCP servers behind this gateway",
      mimeType: "application/json",
    };
    return [status, ...[...(await this.#byUri()).values()].map(({ item }) => inPlainSight(item))];
  }

  async resourceTemplates(): Promise<readonly ResourceTemplateType[]> {
    return (await this.#templates.all()).map(({ item }) => inPlainSight(item));
  }

  async readResource(uri: string, run: RunTool): Promise<ReadResourceResult> {
    if (uri === STATUS_URI) return this.#status();
    const { server, mimeType } = await this.#found(uri);
    return resourceContents({ uri, mimeType }, await run({ name: this.#reader(server), arguments: { uri } }));
  }

  /** A resource that must not be read must not be watched. Where reading would ask an approver, watching does not: no contents are read. */
  async watchResource(uri: string): Promise<() => void> {
    if (uri === STATUS_URI) return () => {};
    const { server } = await this.#found(uri);
    const call = { name: this.#reader(server), arguments: { uri } };
    await this.#assertNotDenied(call, `${JSON.stringify(uri)} must not be read, so it is not watched.`);
    return this.#connection(server).watchResource(uri);
  }

  async prompts(): Promise<readonly Prompt[]> {
    return (await this.#prompts.all()).map(({ server, item }) => ({
      ...inPlainSight(item),
      name: this.#parts.promptName(server, item.name),
    }));
  }

  async prompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    const { server, connection, item } = await this.#prompt(name);
    const call = {
      name: this.#reader(server, "get_prompt"),
      arguments: { name: item.name, arguments: args },
    };
    await this.#assertReadable(
      call,
      `The prompt ${JSON.stringify(name)} must not be read with these arguments.`,
    );
    return connection.getPrompt(item.name, args, signal);
  }

  /** What a user selects in a client is not asked about again, unless that is mandated. A rule's deny stays. */
  async #assertReadable(call: OfferedCall, message: string): Promise<void> {
    const { action, isFinal, needs } = await this.#assertNotDenied(call, message);
    if (action !== "ask" || (isFinal !== true && needs === undefined)) return;
    throw new ToolFailure(
      "denied",
      `${message} It has to be approved, and a client cannot wait for that here: call the tool ${call.name}, which asks.`,
    );
  }

  async #assertNotDenied(call: OfferedCall, message: string): Promise<Decision> {
    await this.#parts.beforeCall?.();
    const { explanation, failure } = await this.#parts.session.explain({ id: "offer", ...call });
    if (failure !== undefined) throw new ToolFailure(failure.code, failure.message);
    if (explanation.decision.action === "deny") throw new ToolFailure("denied", message);
    return explanation.decision;
  }

  async complete(
    { ref, ...params }: CompleteRequest["params"],
    signal: AbortSignal,
  ): Promise<CompleteResult> {
    return completeArgument(await this.#completedAt(ref), params, signal);
  }

  /** Values are read from the server: what must not be read is not completed. */
  async #completedAt(ref: CompletedAt["ref"]): Promise<CompletedAt> {
    if (ref.type === "ref/prompt") {
      const { server, connection, item } = await this.#prompt(ref.name);
      const call = {
        name: this.#reader(server, "get_prompt"),
        arguments: { name: item.name, arguments: {} },
      };
      await this.#assertReadable(call, `The prompt ${JSON.stringify(ref.name)} must not be read.`);
      return { connection, ref: { ...ref, name: item.name } };
    }
    const { uri } = ref;
    const template = (await this.#templates.all()).find(({ item }) => item.uriTemplate === uri);
    const server = template?.server ?? (await this.#found(uri)).server;
    const call = { name: this.#reader(server), arguments: { uri } };
    await this.#assertReadable(call, `${JSON.stringify(uri)} must not be read.`);
    return { connection: this.#connection(server), ref };
  }

  async #prompt(name: string) {
    const all = await this.#prompts.all();
    const found = all.find(({ server, item }) => this.#parts.promptName(server, item.name) === name);
    if (found === undefined)
      throw new ToolFailure("not_found", `There is no prompt ${JSON.stringify(name)}.`);
    return { server: found.server, connection: this.#connection(found.server), item: found.item };
  }

  #connection(server: string): Connection {
    const connection = this.#parts.source.connection(server);
    if (connection === undefined)
      throw new ToolFailure("unavailable", `The server ${server} is not started.`);
    return connection;
  }

  /** The tool that reads the resources or the prompts of a server. */
  #reader(server: string, what = READ): string {
    const reader = this.#parts.session
      .tools()
      .find(
        ({ tool }) => isReadingServer(tool) && tool.remote?.serverId === server && tool.remote.tool === what,
      );
    if (reader === undefined)
      throw new ToolFailure(
        "unavailable",
        `Resources and prompts of ${server} cannot be read here: no tool is registered for them.`,
      );
    return reader.name;
  }

  #status(): ReadResourceResult {
    const text = JSON.stringify({ servers: gatewayStatus(this.#parts.source) }, undefined, 2);
    return { contents: [{ uri: STATUS_URI, mimeType: "application/json", text }] };
  }

  /** If two servers list the same address, the first one is used. */
  async #byUri(): Promise<ReadonlyMap<string, Listed<Resource>>> {
    const found = new Map<string, Listed<Resource>>();
    for (const listed of await this.#resources.all()) {
      const { uri } = listed.item;
      const other = found.get(uri);
      if (other === undefined && uri !== STATUS_URI) found.set(uri, listed);
      else
        this.#parts.onNote(
          `The resource ${JSON.stringify(uri)} of ${listed.server} is hidden: ${other?.server ?? "the gateway"} has a resource with the same address.`,
        );
    }
    return found;
  }

  async #found(uri: string) {
    const templates = await this.#templates.all();
    const found =
      (await this.#byUri()).get(uri) ?? templates.find(({ item }) => matches(item.uriTemplate, uri));
    if (found !== undefined) return { server: found.server, mimeType: found.item.mimeType };
    throw new ToolFailure(
      "not_found",
      `No server behind this gateway has the resource ${JSON.stringify(uri)}.`,
    );
  }
}

interface OfferedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const READ = "read_resource";
const LONGEST_URI = 2_000;

function matches(template: string, uri: string): boolean {
  if (uri.length > LONGEST_URI) return false;
  return unlessThrown(() => new UriTemplate(template).match(uri) !== null) ?? false;
}

function inPlainSight<Item extends { title?: string | undefined; description?: string | undefined }>(
  item: Item,
): Item {
  const { title, description } = item;
  return {
    ...item,
    ...(title === undefined ? {} : { title: harmlessText(title) }),
    ...(description === undefined ? {} : { description: harmlessText(description) }),
  };
}

/** What a server proposes for an argument, bounded and with hidden characters made visible. */
async function completeArgument(
  { connection, ref }: CompletedAt,
  params: Omit<CompleteRequest["params"], "ref">,
  signal: AbortSignal,
): Promise<CompleteResult> {
  const { argument, context } = params;
  const asked = { ref, argument, ...(context === undefined ? {} : { context }) };
  const { completion } = await connection.complete(asked, signal);
  const { values, total, hasMore } = completion;
  return {
    completion: {
      // A value that would have to be escaped cannot be proposed.
      values: values
        .filter((value) => value.length <= LONGEST_VALUE && harmlessText(value) === value)
        .slice(0, MOST_VALUES),
      ...defined({ total, hasMore }),
    },
  };
}
