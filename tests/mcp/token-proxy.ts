import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenProxy {
  readonly url: string;
  /** Where requests go from here on. */
  aim(target: { readonly url: string; readonly token: string }): void;
  close(): Promise<void>;
}

/** Puts the token on requests of a client that has none. Everything else passes as it is, `Host` and `Origin` too. */
export async function tokenProxy(): Promise<TokenProxy> {
  let target = { url: "http://127.0.0.1:9/", token: "" };
  const server = createServer((req, res) => {
    const { hostname, port } = new URL(target.url);
    const headers = { ...req.headers, authorization: `Bearer ${target.token}` };
    const onward = request({ hostname, port, path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    res.on("close", () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    aim: (next) => {
      target = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
