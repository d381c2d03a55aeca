import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { parse } from "yaml";
import { isObject, type JsonObject } from "./json-object.ts";

/** The size limit of a document, in bytes. */
export const MOST_BYTES = 32_000_000;
/** YAML is parsed far more slowly than JSON, and parsing cannot be interrupted. */
const MOST_YAML_BYTES = 4_000_000;
const MOST_PARTS = 2_000_000;
const DEEPEST = 200;

/** Parses JSON or YAML into plain data. @throws ToolkeepError `invalid_option` if too large, too deep, or no object. */
export function readText(text: string): JsonObject {
  const size = new TextEncoder().encode(text).byteLength;
  if (size > MOST_BYTES) throw invalid(`it is larger than ${MOST_BYTES} bytes`);
  return boundedObject(/^\s*\{/.test(text) ? readJson(text, size) : readYaml(text, size));
}

/** A copy of a parsed document. @throws ToolkeepError `invalid_option` as `readText`, and for what is not JSON. */
export function readSpec(spec: object): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(spec);
  } catch (cause) {
    throw invalid("it contains a value that JSON cannot express, such as a circular object", cause);
  }
  return readText(text);
}

function readJson(text: string, size: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // YAML has a flow style that begins with a brace as well.
    return readYaml(text, size);
  }
}

function readYaml(text: string, size: number): unknown {
  if (size > MOST_YAML_BYTES)
    throw invalid(
      `YAML documents may have at most ${MOST_YAML_BYTES} bytes; convert it to JSON, whose limit is higher`,
    );
  try {
    // Aliases that are used often can make a small text huge.
    // Keys are not compared with each other, which takes quadratic time: the last one is used, as in JSON.
    return parse(text, { maxAliasCount: 100, schema: "core", logLevel: "error", uniqueKeys: false });
  } catch (cause) {
    throw invalid("it is neither JSON nor YAML", cause);
  }
}

/** Counts parts, and removes the key `__proto__`. Without recursion: depth is what is checked. */
function boundedObject(value: unknown): JsonObject {
  if (!isObject(value)) throw invalid("it is not an object");
  const queue: { readonly node: object; readonly depth: number }[] = [{ node: value, depth: 1 }];
  for (let at = 0; at < queue.length; at += 1) {
    const { node, depth } = queue[at] as (typeof queue)[number];
    if (queue.length > MOST_PARTS) throw invalid(`it has more than ${MOST_PARTS} parts`);
    if (depth > DEEPEST) throw invalid(`it is nested deeper than ${DEEPEST} levels`);
    if (Object.hasOwn(node, "__proto__")) Reflect.deleteProperty(node, "__proto__");
    for (const inner of Object.values(node)) {
      // What YAML defines once and uses often is counted each time, as for any reader.
      if (typeof inner === "object" && inner !== null) queue.push({ node: inner, depth: depth + 1 });
    }
  }
  return value;
}

function invalid(reason: string, cause?: unknown): ToolkeepError {
  return invalidOption(`The OpenAPI document cannot be used: ${reason}.`, { cause });
}
