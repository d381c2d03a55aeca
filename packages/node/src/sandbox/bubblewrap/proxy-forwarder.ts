import { ToolFailure } from "@toolkeep/core";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { PROXY_FOLDER, PROXY_PORT } from "../../network/proxy/proxy-environment.ts";
import { findProgram } from "../host/installation.ts";
import type { SandboxUser } from "../host/sandbox-user.ts";

/** What a sandbox needs so that its command reaches a proxy outside. */
interface ProxyPlan {
  /** Arguments for `bwrap`. */
  readonly mounts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What a shell in the sandbox does before it starts the command. */
  readonly step: { readonly script: string; readonly args: readonly string[] };
}

/**
 * The way from the loopback of a sandbox to the proxy of its command; `undefined` for a command without hosts. The
 * sandbox keeps a network of its own, with nothing but loopback: a process in it listens there, and connects each
 * client to a socket that is mounted.
 * @throws ToolFailure `unavailable` if hosts are named and there is no proxy that filters by host.
 */
export async function proxyPlan(
  { hosts, proxy }: SandboxProfile,
  user: SandboxUser | undefined,
  { program, argv, mounts }: ForwarderProgram,
): Promise<ProxyPlan | undefined> {
  if (hosts === "any" || hosts.length === 0) return undefined;
  if (proxy === undefined)
    throw new ToolFailure(
      "unavailable",
      "A command reaches some hosts only through a proxy that filters by host, and none was given.",
      { hint: "Run it in a workspace (`openWorkspace`), which opens one for each command." },
    );
  const { folder, environment } = await proxy.listen(user);
  return {
    mounts: [...mounts, "--ro-bind", folder, PROXY_FOLDER],
    environment,
    step: { script: START, args: [program, ...argv] },
  };
}

/** A program that listens on loopback and connects to the socket. */
export interface ForwarderProgram {
  readonly program: string;
  readonly argv: readonly [string, string];
  readonly mounts: readonly string[];
}

const SOCKET = `${PROXY_FOLDER}/s`;

/** `socat`, which starts fast; or else Node itself, from where this process runs it. */
export async function findForwarder(): Promise<ForwarderProgram> {
  const socat = await findProgram("socat");
  if (socat !== undefined) return { program: socat, argv: SOCAT, mounts: [] };
  return nodeForwarder();
}

const SOCAT = [
  `TCP4-LISTEN:${PROXY_PORT},bind=127.0.0.1,reuseaddr,fork,backlog=128`,
  `UNIX-CONNECT:${SOCKET}`,
] as const;

const NODE = "/run/toolkeep-node";

export function nodeForwarder(): ForwarderProgram {
  return { program: NODE, argv: ["-e", FORWARD], mounts: ["--ro-bind", process.execPath, NODE] };
}

const FORWARD = `const { connect, createServer } = require("node:net");
createServer({ allowHalfOpen: true }, (one) => {
  const other = connect({ path: "${SOCKET}", allowHalfOpen: true });
  for (const [from, to] of [[one, other], [other, one]]) from.on("error", () => to.destroy()).pipe(to);
}).listen(${PROXY_PORT}, "127.0.0.1");`;

const LISTENING = `0100007F:${PROXY_PORT.toString(16).toUpperCase()} 00000000:0000 0A`;

/** Starts it as a child of process 1, unknown to the command, and waits until it listens. It ends with the sandbox. */
const START = `( unset TOOLKEEP_PRIVATE; exec "$1" "$2" "$3" </dev/null >/dev/null 2>&1 & )
shift 3
is_listening() { while read -r line; do case "$line" in *"${LISTENING}"*) return 0 ;; esac; done </proc/net/tcp; return 1; }
count=0; until is_listening; do
  count=$((count + 1))
  [ "$count" -lt 500 ] || { echo 'The network of the sandbox did not start; the command was not run.' >&2; exit 126; }
  sleep 0.01
done
unset -f is_listening; unset count line
`;
