import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A PostgreSQL server on loopback, with its data in a folder of its own. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** Stops it at once, as a crash does: clients lose their connections, and it recovers when it starts. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** The folder of the server's programs, the newest version; `undefined` where it is not installed. */
export function findPostgres(): string | undefined {
  const found = globSync("/usr/lib/postgresql/*/bin/initdb").toSorted((one, other) =>
    one.localeCompare(other, undefined, { numeric: true }),
  );
  const newest = found.at(-1);
  return newest === undefined ? undefined : dirname(newest);
}

/** Starts a server. `fsync` only where times are measured: it survives everything but a power failure without. */
export async function startPostgres({ fsync = false } = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error("install PostgreSQL: apt-get install postgresql");
  const identity = ordinaryUser();
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-postgres-"));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? identity.uid);
  const data = join(folder, "data");
  const options = { ...identity, cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8", TZ: "UTC" } };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync"],
    {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const port = await freePort();
  const settings = [
    ...["listen_addresses=127.0.0.1", "unix_socket_directories=", `fsync=${fsync ? "on" : "off"}`],
    ...["max_connections=200", "shared_buffers=64MB", "max_wal_size=512MB", "log_min_messages=fatal"],
  ];
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
  const url = `postgres://tests@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  const start = async () => {
    server = spawn(join(programs, "postgres"), args, { ...options, stdio: "ignore" });
    await untilReady(url, server);
  };
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    start,
    kill: () => stop("SIGQUIT"),
    async [Symbol.asyncDispose]() {
      await stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The user that owns nothing. */
const WITHOUT_RIGHTS = 65_534;

/** The server refuses to run as root. */
function ordinaryUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: WITHOUT_RIGHTS, gid: WITHOUT_RIGHTS };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await sleep(50);
    }
  }
}
