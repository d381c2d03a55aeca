import { ProtocolError, ProtocolErrorCode, type RequestOptions } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import type { OpenedClient } from "./open-client.ts";
import { tooLongList } from "./request-failure.ts";
import { type RequestLimits, runRequest } from "./run-request.ts";

const MOST_ITEMS = 10_000;
const MOST_LIST_BYTES = 4 * 16 * 2 ** 20;
const LOOK_MS = 50;

/** Reads all pages of a list; empty if the server does not support it. @throws ToolFailure `too_large`. */
export async function readList<Item>(
  opened: OpenedClient,
  limits: RequestLimits,
  send: (options: RequestOptions) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const tooLong = new AbortController();
  const before = opened.link.received;
  const timer = setInterval(() => {
    if (opened.link.received - before > MOST_LIST_BYTES) tooLong.abort();
  }, LOOK_MS);
  try {
    const items = await runRequest(opened, { signal: tooLong.signal, send }, limits);
    if (items.length > MOST_ITEMS) throw tooLongList(opened.name);
    return items;
  } catch (error) {
    if (tooLong.signal.aborted) throw tooLongList(opened.name);
    if (isUnknownList(error)) return [];
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function isUnknownList(error: unknown): boolean {
  if (!ToolFailure.isInstance(error)) return false;
  return error.cause instanceof ProtocolError && error.cause.code === ProtocolErrorCode.MethodNotFound;
}
