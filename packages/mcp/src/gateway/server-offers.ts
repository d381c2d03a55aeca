import {
  type GetPromptResult,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { harmlessText, type Session, ToolFailure } from "@toolkeep/core";
import type { Connection } from "../connection/connection.ts";
import type { Offers, RunTool } from "../serving/offers.ts";
import type { McpSource } from "../source/mcp-source.ts";
import { gatewayStatus } from "./gateway-status.ts";
import { isReadingServer } from "./gateway-tools.ts";
import { resourceContents } from "./resource-contents.ts";
import { type Listed, ServerLists } from "./server-lists.ts";

export interface ServerOffersParts {
  readonly source: McpSource;
  readonly session: Pick<Session, "tools">;
  promptName(server: string, prompt: string): string;
  onNote(note: string): void;
}

const STATUS_URI = "toolkeep://status";

/** Resources and prompts of all servers together. Reading a resource is a call like any other. */
export class ServerOffers implements Offers {
  readonly #parts: ServerOffersParts;
  readonly #resources: ServerLists<Resource>;
  readonly #templates: ServerLists<ResourceTemplateType>;
  readonly #prompts: ServerLists<Prompt>;

  constructor(parts: ServerOffersParts) {
    const { source } = parts;
    this.#parts = parts;
    const hasResources = ({ server }: Connection) => server?.capabilities.resources !== undefined;
    const hasPrompts = ({ server }: Connection) => server?.capabilities.prompts !== undefined;
    this.#resources = new ServerLists(source, hasResources, (one) => one.listResources());
    this.#templates = new ServerLists(source, hasResources, (one) => one.listResourceTemplates());
    this.#prompts = new ServerLists(source, hasPrompts, (one) => one.listPrompts());
  }

  /** What was listed may have changed. */
  forget(server: string): void {
    for (const lists of [this.#resources, this.#templates, this.#prompts]) lists.forget(server);
  }

  async resources(): Promise<readonly Resource[]> {
    const status = {
      uri: STATUS_URI,
      name: "status",
      title: "State of the MCP servers behind this gateway",
      mimeType: "application/json",
    };
    return [status, ...[...(await this.#byUri()).values()].map(({ item }) => inPlainSight(item))];
  }

  async resourceTemplates(): Promise<readonly ResourceTemplateType[]> {
    return (await this.#templates.all()).map(({ item }) => inPlainSight(item));
  }

  async readResource(uri: string, run: RunTool): Promise<ReadResourceResult> {
    if (uri === STATUS_URI) return this.#status();
    const { server, mimeType } = (await this.#find(uri)) ?? {};
    if (server === undefined)
      throw new ToolFailure(
        "not_found",
        `No server behind this gateway has the resource ${JSON.stringify(uri)}.`,
      );
    const reader = this.#parts.session
      .tools()
      .find(
        ({ tool }) => isReadingServer(tool) && tool.remote?.serverId === server && tool.remote.tool === READ,
      );
    if (reader === undefined)
      throw new ToolFailure(
        "unavailable",
        `Resources of ${server} cannot be read here: no tool stands for it.`,
      );
    return resourceContents({ uri, mimeType }, await run({ name: reader.name, arguments: { uri } }));
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
    const all = await this.#prompts.all();
    const found = all.find(({ server, item }) => this.#parts.promptName(server, item.name) === name);
    const connection = found === undefined ? undefined : this.#parts.source.connection(found.server);
    if (found === undefined || connection === undefined)
      throw new ToolFailure("not_found", `There is no prompt ${JSON.stringify(name)}.`);
    return connection.getPrompt(found.item.name, args, signal);
  }

  #status(): ReadResourceResult {
    const text = JSON.stringify({ servers: gatewayStatus(this.#parts.source) }, undefined, 2);
    return { contents: [{ uri: STATUS_URI, mimeType: "application/json", text }] };
  }

  /** Of two servers that name the same address the first one has it. */
  async #byUri(): Promise<ReadonlyMap<string, Listed<Resource>>> {
    const found = new Map<string, Listed<Resource>>();
    for (const listed of await this.#resources.all()) {
      const { uri } = listed.item;
      const other = found.get(uri);
      if (other === undefined && uri !== STATUS_URI) found.set(uri, listed);
      else
        this.#parts.onNote(
          `The resource ${JSON.stringify(uri)} of ${listed.server} is hidden: ${other?.server ?? "the gateway"} has one of that address.`,
        );
    }
    return found;
  }

  async #find(uri: string): Promise<FoundResource | undefined> {
    const templates = await this.#templates.all();
    const found =
      (await this.#byUri()).get(uri) ?? templates.find(({ item }) => matches(item.uriTemplate, uri));
    return found === undefined ? undefined : { server: found.server, mimeType: found.item.mimeType };
  }
}

interface FoundResource {
  readonly server: string;
  readonly mimeType: string | undefined;
}

const READ = "read_resource";
const LONGEST_URI = 2_000;

function matches(template: string, uri: string): boolean {
  if (uri.length > LONGEST_URI) return false;
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
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
