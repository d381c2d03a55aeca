import type { ServeOptions } from "./serve-mcp.ts";

/** What a session can be served with. */
export const SERVE_OPTIONS: Readonly<Record<keyof ServeOptions, true>> = {
  queue: true,
  info: true,
  onNote: true,
  takeAnswers: true,
  waitMs: true,
  person: true,
  beforeCall: true,
  searchAbove: true,
  isShown: true,
  offers: true,
  instructions: true,
  missing: true,
  ready: true,
};
