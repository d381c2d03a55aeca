import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { definitionHash } from "./definition-hash.ts";

const LONGEST_PACKED = 4_000;
const MOST_UNPACKED_BYTES = 600_000;

/** A definition, compressed to be stored with its hash; `undefined` if it is too large. */
export function packedDefinition(definition: McpTool): string | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  const fields = JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations });
  if (Buffer.byteLength(fields) > MOST_UNPACKED_BYTES) return undefined;
  const packed = deflateRawSync(fields).toString("base64");
  return packed.length <= LONGEST_PACKED ? packed : undefined;
}

/** The stored definition, if it matches the hash. */
export function unpackedDefinition(packed: string, hash: string): McpTool | undefined {
  try {
    const text = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED_BYTES });
    const definition = JSON.parse(text.toString("utf8")) as McpTool;
    return definitionHash(definition) === hash ? definition : undefined;
  } catch {
    return undefined;
  }
}
