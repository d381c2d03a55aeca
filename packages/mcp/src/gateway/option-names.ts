import type { GatewayOptions } from "./gateway.ts";

/** What a gateway can be opened with. */
export const GATEWAY_OPTIONS: Readonly<Record<keyof GatewayOptions, true>> = {
  servers: true,
  accepted: true,
  open: true,
  isListed: true,
  searchAbove: true,
  info: true,
  onNote: true,
  owner: true,
  settings: true,
  maps: true,
  sandbox: true,
  folder: true,
  oauth: true,
  connect: true,
  environment: true,
  naming: true,
  consent: true,
  takeAnswers: true,
  waitMs: true,
  beforeCall: true,
};
