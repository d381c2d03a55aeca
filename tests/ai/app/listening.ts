import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on loopback and prints the address. */
export function listening(server: Server): void {
  server.listen(0, "127.0.0.1", () => {
    console.log(`listening ${(server.address() as AddressInfo).port}`);
  });
}
