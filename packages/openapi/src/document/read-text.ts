import { ToolkeepError } from "@toolkeep/core";
import { parse } from "yaml";
import { isObject, type JsonObject } from "./json-object.ts";

/** Bytes that a document may have. */
export const MOST_BYTES = 32_000_000;
/** YAML is read far more slowly than JSON, and reading it cannot be interrupted. */
const MOST_YAML_BYTES = 4_000_000;
const MOST_PARTS = 2_000_000;
const DEEPEST = 200;

/**
 * A document from its text, in JSON or in YAML, as plain data of our own.
 * @throws ToolkeepError `invalid_option` for a text that is too large, too deep, or no object.
 */
export function readText(text: string): JsonObject {
  const size = new TextEncoder().encode(text).byteLength;
  if (size > MOST_BYTES) throw invalid(`it is larger than ${MOST_BYTES} bytes`);
  return boundedObject(/^\s*\{/.test(text) ? readJson(text, size) : readYaml(text, size));
}

/**
 * A document that somebody has read already, as a copy of our own.
 * @throws ToolkeepError `invalid_option` as `readText` does, and for what JSON cannot hold.
 */
export function readSpec(spec: object): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(spec);
  } catch (cause) {
    throw invalid("it holds something that JSON cannot hold, such as an object within itself", cause);
  }
  return readText(text);
}

function readJson(text: string, size: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // YAML knows a way of writing that begins with a brace as well.
    return readYaml(text, size);
  }
}

function readYaml(text: string, size: number): unknown {
  if (size > MOST_YAML_BYTES)
    throw invalid(`as YAML it may have ${MOST_YAML_BYTES} bytes; turn it into JSON, which may have more`);
  try {
    // An alias that is used a hundred times is a way to make a small text huge.
    // Keys are not held against each other, which takes time in squares: the last one counts, as in JSON.
    return parse(text, { maxAliasCount: 100, schema: "core", logLevel: "error", uniqueKeys: false });
  } catch (cause) {
    throw invalid("it is neither JSON nor YAML", cause);
  }
}

/** Counts, and takes out the one key that would not be a key. Without recursion: depth is what is looked for. */
function boundedObject(value: unknown): JsonObject {
  if (!isObject(value)) throw invalid("it is no object");
  const queue: { readonly node: object; readonly depth: number }[] = [{ node: value, depth: 1 }];
  for (let at = 0; at < queue.length; at += 1) {
    const { node, depth } = queue[at] as (typeof queue)[number];
    if (queue.length > MOST_PARTS) throw invalid(`it has more than ${MOST_PARTS} parts`);
    if (depth > DEEPEST) throw invalid(`it is nested deeper than ${DEEPEST} levels`);
    if (Object.hasOwn(node, "__proto__")) Reflect.deleteProperty(node, "__proto__");
    for (const inner of Object.values(node)) {
      // What YAML names once and uses often counts each time, as it does for whoever reads it.
      if (typeof inner === "object" && inner !== null) queue.push({ node: inner, depth: depth + 1 });
    }
  }
  return value;
}

function invalid(reason: string, cause?: unknown): ToolkeepError {
  return new ToolkeepError("invalid_option", `The OpenAPI document cannot be used: ${reason}.`, { cause });
}
