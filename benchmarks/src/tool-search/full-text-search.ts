import { DatabaseSync } from "node:sqlite";
import type { ToolEntry } from "../../../packages/tools/src/tool-search/tool-entry.ts";
import type { Find } from "./recall.ts";

/** The tokenizer of SQLite: plain or stemmed. */
export type Tokenizer = "unicode61" | "porter";

/**
 * SQLite's FTS5 as the baseline: any term of the query, ranked by bm25. Identifiers are split before, because it finds
 * more that way.
 */
export function fullTextSearch(tools: readonly ToolEntry[], tokenizer: Tokenizer): Find {
  const database = new DatabaseSync(":memory:");
  database.exec(
    `create virtual table tools using fts5(id unindexed, name, description, parameters, tokenize = '${tokenizer}')`,
  );
  const insert = database.prepare("insert into tools values (?, ?, ?, ?)");
  database.exec("begin");
  for (const { id, name, description, parameters } of tools) {
    insert.run(id, spaced(name), description, parameters);
  }
  database.exec("commit");
  const select = database.prepare("select id from tools where tools match ? order by bm25(tools) limit ?");
  return (query, limit) => {
    const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
    if (words.size === 0) return [];
    const anyWord = Array.from(words, (word) => `"${word}"`).join(" OR ");
    return select.all(anyWord, limit).map(({ id }) => String(id));
  };
}

function spaced(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ");
}
