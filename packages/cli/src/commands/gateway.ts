import { chooseServers } from "../gateway/choose-servers.ts";
import { headlessGrants } from "../gateway/headless-grants.ts";
import { httpToken } from "../gateway/http-token.ts";
import { type StartedGateway, startGateway } from "../gateway/start-gateway.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface GatewayOptions extends CommonOptions {
  readonly server?: readonly string[];
  readonly wrap?: string;
  readonly http?: string | true;
  readonly policy?: string;
  readonly allow?: readonly string[];
  readonly project?: string;
  readonly search?: boolean;
}

/** `toolkeep gateway`: serves until the client goes or a signal comes. Standard output is the client's alone. */
export async function gatewayCommand(options: GatewayOptions): Promise<number> {
  const { wrap, server, http, allow = [] } = options;
  if (wrap !== undefined && server !== undefined) {
    throw new CommandError("--wrap names the one server, so --server has nothing to say.", {
      exit: EXIT.usage,
    });
  }
  const port = http === undefined ? undefined : portOf(http);
  const terminal = openTerminal(options);
  if (http === undefined) keepOutputClean();
  const stop = signals();
  const project = await readProject({
    cwd: terminal.cwd,
    folder: options.project,
    policyFile: options.policy,
  });
  const chosen = await chooseServers(project.root, wrap === undefined ? server : [wrap]);
  for (const note of [...project.notes, ...chosen.diagnostics]) terminal.note(note);
  if (chosen.servers.length === 0)
    terminal.note(`No servers are configured for ${project.root}, so the gateway has no tools of any.`);
  const searchAbove = options.search === false ? "never" : undefined;
  const grants = headlessGrants(allow);
  const onNote = (note: string) => terminal.note(note);
  const started = await startGateway(project, { chosen, wrapped: wrap, grants, searchAbove, onNote });
  try {
    started.gateway.started
      .then(() => tellInReview(started, terminal))
      .catch(() => terminal.note("What is held back could not be listed. See `toolkeep servers`."));
    return await (port === undefined
      ? serveStdio(started, stop)
      : serveHttp(started, { port, stop, terminal }));
  } finally {
    await started.close();
  }
}

async function serveStdio({ gateway }: StartedGateway, stop: Promise<number>): Promise<number> {
  const endpoint = gateway.serveStdio();
  return Promise.race([endpoint.closed.then(() => EXIT.ok), stop]);
}

interface HttpServing {
  readonly port: number;
  readonly stop: Promise<number>;
  readonly terminal: Terminal;
}

async function serveHttp(
  { gateway }: StartedGateway,
  { port, stop, terminal }: HttpServing,
): Promise<number> {
  const { token, file } = await httpToken();
  const { url } = await gateway.serveHttp({ port, token });
  terminal.note(`The gateway is at ${url}. Clients send what is in ${file} as \`Authorization: Bearer …\`.`);
  if (terminal.json) terminal.show({ url, tokenFile: file }, []);
  return stop;
}

/** What is not served, whoever looks at the client's log should know, and what to do about it. */
function tellInReview({ gateway }: StartedGateway, terminal: Terminal): void {
  for (const { entry, status, inReview } of gateway.source.servers) {
    if (status.state === "awaiting_review")
      terminal.note(
        `${entry.name}: ${status.reason} Look at it with \`toolkeep servers accept ${entry.name}\`.`,
      );
    if (status.state === "refused") terminal.note(`${entry.name}: refused. ${status.reason ?? ""}`);
    for (const { tool, why } of inReview)
      terminal.note(`${entry.name}: the tool ${tool} is held back (${why}).`);
  }
}

function portOf(http: string | true): number {
  if (http === true) return 0;
  const port = Number(http);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CommandError(`${JSON.stringify(http)} is not a port.`, { exit: EXIT.usage });
}

/** The exit code of the first signal that asks us to end. */
function signals(): Promise<number> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve(130));
    process.once("SIGTERM", () => resolve(143));
  });
}

/** Whatever somebody prints by habit must not reach the client as if it were a message. */
function keepOutputClean(): void {
  for (const name of ["log", "info", "debug", "dir", "table"] as const) console[name] = console.error;
}
