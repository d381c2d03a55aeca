import { expressionsIn, rowsByName, REQUEST_OPTIONS as table } from "@toolkeep/catalog/internal";

/** The options with which a program asks the address that it is given, and no other. */
export interface Requester {
  readonly flags: RegExp;
  /** Their value is the next word. */
  readonly valued: RegExp;
  /** Those with which it sends nothing but the address and headers, and writes no file; a value after a space. */
  readonly reading?: RegExp;
  /** One of them must be there, or the answer becomes a file. */
  readonly printing?: RegExp;
}

export const REQUESTERS: Readonly<Record<string, Requester>> = rowsByName(table.requesters, expressionsIn);

export const HTTPIE = REQUESTERS["http"];

/** At these ports, services give away secrets or control of the machine: Docker, etcd, Kubernetes, Vault, Consul, debuggers. */
export const CONTROL_PORTS = /:(?:237[569]|2380|4243|6443|8001|8200|8500|9222|9229|1025[0579])(?:[/?#]|$)/;
