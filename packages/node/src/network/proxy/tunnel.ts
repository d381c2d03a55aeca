import type { Socket } from "node:net";
import { pipeline, type Transform } from "node:stream";
import { HelloGuard, TunnelRefused } from "./hello-guard.ts";

interface Tunnel {
  readonly client: Socket;
  readonly upstream: Socket;
  /** What is sent goes through it. */
  readonly gate: Transform;
  /** What the client sent behind its request. */
  readonly head: Buffer;
  /** The host that it was opened to; `undefined` if that is an address, which TLS does not name. */
  readonly host: string | undefined;
  /** The client speaks plain HTTP. The tunnel is over, and the client is for a server to take. */
  onPlain(): void;
  onRefused(reason: string): void;
}

/** A client that has its tunnel says what it wants within this time. */
const FIRST_BYTES_MS = 15_000;

/**
 * Answers a CONNECT, and passes bytes on once the client has begun TLS with the host that it named. What it sends is
 * passed on for as long as every ClientHello names that host; what it receives is not looked at.
 */
export function openTunnel(tunnel: Tunnel): void {
  const { client, upstream, head } = tunnel;
  client.setTimeout(FIRST_BYTES_MS, () => client.destroy());
  client.once("close", () => upstream.destroy());
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  client.once("readable", () => {
    const chunk = client.read(1) as Buffer | null;
    if (chunk === null) return client.end();
    client.unshift(chunk);
    if (!METHOD_LETTER.test(chunk.toString("latin1"))) return guarded(tunnel);
    client.removeAllListeners("timeout");
    upstream.destroy();
    return tunnel.onPlain();
  });
}

const METHOD_LETTER = /^[A-Z]$/;

function guarded({ client, upstream, gate, host, onRefused }: Tunnel): void {
  const guard = new HelloGuard(({ serverName, isEncrypted }) => {
    if (isEncrypted) throw new TunnelRefused("may not be reached with an encrypted ClientHello");
    if (serverName === host) return;
    const asked = serverName === undefined ? "no host" : `the host ${serverName}`;
    throw new TunnelRefused(`was named for the tunnel, and TLS in it names ${asked}`);
  });
  guard.once("open", () => {
    client.setTimeout(0);
    pipeline(upstream, client, () => client.destroy());
  });
  pipeline(client, guard, gate, upstream, (error) => {
    if (error === undefined || error === null) return;
    if (error instanceof TunnelRefused) onRefused(error.message);
    client.destroy();
    upstream.destroy();
  });
}
