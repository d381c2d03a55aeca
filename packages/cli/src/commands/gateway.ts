import type { Command } from "commander";
import { clientProcess } from "../hooks/decide/gateway/client-process.ts";
import { identitySettings } from "../project/identity/identity-settings.ts";
import { readProject } from "../project/read-project.ts";
import { headlessGrants } from "../run/gateway/headless-grants.ts";
import { servedOverHttp } from "../run/gateway/serve-over-http.ts";
import { type StartedGateway, startGateway } from "../run/gateway/start-gateway.ts";
import { EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { chooseServers } from "../tools/servers/choose-servers.ts";

/** `toolkeep gateway`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("gateway", (command) => runGateway(optionsOf(command)));
}

interface GatewayOptions extends CommonOptions {
  readonly server?: readonly string[];
  readonly wrap?: string;
  readonly http?: string | true;
  readonly address?: string;
  readonly url?: string;
  readonly policy?: string;
  readonly allow?: readonly string[];
  readonly project?: string;
  readonly search?: boolean;
}

/** Serves until the client disconnects or a signal arrives. Only the protocol writes to standard output. */
async function runGateway(options: GatewayOptions): Promise<number> {
  const { wrap, server, http, allow = [] } = options;
  assertOptions(options);
  const port = http === undefined ? undefined : portOf(http);
  const terminal = openTerminal(options);
  if (http === undefined) redirectConsole();
  const stop = signals();
  const project = await readProject({
    cwd: terminal.cwd,
    folder: options.project,
    policyFile: options.policy,
  });
  const serve = port === undefined ? undefined : servedOverHttp({ ...options, port }, project);
  const chosen = await chooseServers(project.root, wrap === undefined ? server : [wrap]);
  for (const note of [...project.notes, ...chosen.diagnostics]) terminal.note(note);
  if (chosen.servers.length === 0)
    terminal.note(`No servers are configured for ${project.root}, so the gateway has no tools.`);
  const searchAbove = options.search === false ? "never" : undefined;
  const grants = headlessGrants(allow);
  const onNote = (note: string) => terminal.note(note);
  const client = http === undefined ? clientProcess() : undefined;
  // Over HTTP, people with a login of their own may be anywhere.
  const isLocal = http === undefined || identitySettings(project.config) === undefined;
  const started = await startGateway(project, {
    ...{ chosen, wrapped: wrap, grants, searchAbove, client, isLocal, onNote },
  });
  try {
    started.gateway.started
      .then(() => noteReviews(started, terminal))
      .catch(() => terminal.note("The tools that await review cannot be listed. Run `toolkeep servers`."));
    if (serve === undefined) return await serveStdio(started, stop);
    await serve(started.gateway, terminal);
    return await stop;
  } finally {
    await started.close();
  }
}

/** @throws CommandError for options that do not go together. */
function assertOptions({ wrap, server, http, address, url }: GatewayOptions): void {
  if (wrap !== undefined && server !== undefined) {
    throw usageError(
      "--wrap and --server cannot be combined.",
      "Use --wrap NAME for one server, or --server NAME… for several.",
    );
  }
  if (http === undefined && (address ?? url) !== undefined) {
    throw usageError("--address and --url are for a gateway over HTTP.", "Add --http PORT.");
  }
}

async function serveStdio({ gateway }: StartedGateway, stop: Promise<number>): Promise<number> {
  const endpoint = gateway.serveStdio();
  return Promise.race([endpoint.closed.then(() => EXIT.ok), stop]);
}

/** Writes to the client's log which servers and tools are not served, and what to run. */
function noteReviews({ gateway }: StartedGateway, terminal: Terminal): void {
  for (const { entry, status, inReview } of gateway.source.servers) {
    const { name } = entry;
    if (status.state === "awaiting_review")
      terminal.note(`${name}: ${status.reason} Run \`toolkeep servers accept ${name}\` to review it.`);
    if (status.state === "refused") terminal.note(`${name}: refused. ${status.reason ?? ""}`);
    for (const { tool, why } of inReview)
      terminal.note(
        `${name}: the tool ${tool} awaits review (${why}). Run \`toolkeep servers accept ${name} ${tool}\`.`,
      );
  }
}

function portOf(http: string | true): number {
  if (http === true) return 0;
  const port = Number(http);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw usageError(`--http ${JSON.stringify(http)} is not a port.`, "Use a number from 0 to 65535.");
}

/** The exit code of the first signal. */
function signals(): Promise<number> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve(130));
    process.once("SIGTERM", () => resolve(143));
  });
}

/** A dependency that logs to standard output would break the protocol. */
function redirectConsole(): void {
  for (const name of ["log", "info", "debug", "dir", "table"] as const) console[name] = console.error;
}
