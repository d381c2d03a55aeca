import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Registry, Session } from "@toolkeep/core";
import type { RegisteredTool } from "@toolkeep/core/internal";
import { defined } from "@toolkeep/core/internal";
import type { Person } from "@toolkeep/core/ports";
import type { ConnectionNews } from "../connection/news/connection.ts";
import { createApprovalQueue } from "../serving/approval-queue.ts";
import type { PeopleEndpoint, PeopleEndpointOptions } from "../serving/endpoint.ts";
import type { PersonParts } from "../serving/http-people.ts";
import { type ServeAnswers, Serving } from "../serving/serve-mcp.ts";
import { servePeople } from "../serving/serve-people.ts";
import type { McpSource, ServerReport } from "../source/mcp-source.ts";
import { prefixedName } from "../source/tool-name.ts";
import type { GatewayOptions } from "./gateway.ts";
import { missingServers, troubles } from "./gateway-status.ts";
import { type GatewayTools, isShown } from "./gateway-tools.ts";
import type { RelayedNews } from "./relayed-news.ts";
import { ServerOffers, STATUS_URI } from "./server-offers.ts";

export interface ServedSessionsParts {
  readonly options: GatewayOptions;
  readonly registry: Registry;
  readonly source: McpSource;
  readonly tools: GatewayTools;
  readonly news: RelayedNews;
  /** Resolves when every server was tried once. */
  readonly ready: Promise<void>;
}

/** One session, and what serves it. */
interface Served {
  readonly session: Session;
  readonly serving: Serving;
  readonly offers: ServerOffers;
  /** Missing for the session of the gateway itself. */
  readonly person?: Person;
}

/** The sessions of a gateway: its own, and one for each principal. They share the servers, and nothing else. */
export class ServedSessions {
  readonly #parts: ServedSessionsParts;
  readonly #served = new Map<string, Served>();
  readonly #endpoints = new Set<PeopleEndpoint>();

  constructor(parts: ServedSessionsParts) {
    this.#parts = parts;
  }

  async open(person?: Person): Promise<Served> {
    const { options, registry, source, news } = this.#parts;
    const queue = createApprovalQueue();
    const session = await options.open({
      registry,
      approver: queue.approver,
      ...(person === undefined ? {} : { person }),
    });
    const offers = new ServerOffers({
      source,
      session,
      promptName: (server, prompt) =>
        options.naming === "plain" ? prompt : prefixedName({ server, tool: prompt }),
      onNote: (note) => options.onNote?.(note),
      beforeCall: async () => options.beforeCall?.(session),
      // What a server logs is about the calls of everybody.
      ...(person === undefined ? { wantLogs: (level: LoggingLevel | undefined) => news.want(level) } : {}),
    });
    const served = {
      session,
      offers,
      serving: new Serving(session, { ...this.#servingOptions(person), queue, offers }),
      ...(person === undefined ? {} : { person }),
    };
    this.#served.set(session.id, served);
    return served;
  }

  /** Serves people over HTTP, each in a session of their own. */
  async serve(options: PeopleEndpointOptions): Promise<PeopleEndpoint> {
    const onNote = (note: string) => this.#parts.options.onNote?.(note);
    const endpoint = await servePeople({ open: (person) => this.#openFor(person), onNote }, options);
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  isListed(tool: RegisteredTool, sessionId: string): boolean {
    const person = this.#served.get(sessionId)?.person;
    return person === undefined || (this.#parts.options.isListed?.(tool, person) ?? true);
  }

  /** A server has changed. */
  changed(change: string, server: string): void {
    for (const { offers, serving } of this.#served.values()) {
      offers.forget(server);
      serving.resourceUpdated(STATUS_URI);
      if (change === "resources") serving.resourcesChanged();
      if (change === "prompts") serving.promptsChanged();
    }
  }

  async toolsChanged(): Promise<void> {
    await Promise.all([...this.#served.values()].map(({ serving }) => serving.toolsChanged()));
  }

  relay(news: ConnectionNews): void {
    for (const { serving, person } of this.#served.values())
      if (news.kind === "updated") serving.resourceUpdated(news.uri);
      else if (person === undefined) serving.log(news.message);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()));
    const all = [...this.#served.values()];
    await Promise.all(all.map(({ serving }) => serving.close()));
    await Promise.all(all.map(({ session }) => session.close()));
  }

  async #openFor(person: Person): Promise<PersonParts> {
    const { session, serving } = await this.open(person);
    return {
      http: serving.http,
      close: async () => {
        this.#served.delete(session.id);
        await serving.close();
        await session.close();
      },
    };
  }

  #servingOptions(person: Person | undefined) {
    const { options, source, tools, ready } = this.#parts;
    return {
      ...passedOn(options),
      ...(person?.principal.user === undefined ? {} : { person: person.principal.user }),
      isShown: (tool: RegisteredTool) =>
        isShown(tool) && (person === undefined || (options.isListed?.(tool, person) ?? true)),
      instructions: () => gatewayInstructions(source, tools.isSearching),
      missing: () => missingServers(source),
      ready,
    };
  }
}

/** What a gateway passes on to those who serve it. */
function passedOn(
  options: GatewayOptions,
): ServeAnswers & Pick<GatewayOptions, "info" | "onNote" | "searchAbove"> {
  const { info, onNote, waitMs, searchAbove } = options;
  return {
    ...defined({ info, onNote, waitMs, searchAbove }),
    ...(options.takeAnswers === undefined ? {} : { takeAnswers: options.takeAnswers.bind(options) }),
    ...(options.beforeCall === undefined ? {} : { beforeCall: options.beforeCall.bind(options) }),
  };
}

/** The gateway's instructions. Those of servers are not passed on: the model would read them as the user's own. */
function gatewayInstructions(source: Pick<McpSource, "servers">, isSearching: boolean): string {
  const names = source.servers.map(({ entry }) => entry.name);
  // Servers in their first attempt are ready in a moment.
  const starting = new Set(source.servers.filter(isStarting).map(({ entry }) => entry.name));
  const missing = troubles(source)
    .map(({ server }) => server)
    .filter((name) => !starting.has(name));
  return [
    `These tools come from MCP servers behind a gateway: ${names.join(", ") || "none"}. A policy decides about every call.`,
    ...(isSearching
      ? [
          "Most tools are not listed: find them with tool_search, then call them by name, or with call_tool if your list does not change.",
        ]
      : []),
    "A result that begins with `pending` means that a person must answer first and nothing was executed. Continue with something else; later make the same call with the same arguments, and it is executed once.",
    "A denied call stays denied: read the reason and do not try to achieve the same by other means.",
    ...(missing.length === 0
      ? []
      : [`Not fully available: ${missing.join(", ")}. Call gateway_status for details.`]),
  ].join("\n");
}

function isStarting({ status }: ServerReport): boolean {
  return status.state === "connecting" && status.failures === 0;
}
