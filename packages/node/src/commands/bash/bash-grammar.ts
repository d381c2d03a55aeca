import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The library of tree-sitter and the bytes of its bash grammar. */
export interface BashGrammar {
  readonly library: Pick<typeof import("@vscode/tree-sitter-wasm"), "Language" | "Parser">;
  readonly grammar: Uint8Array;
  /** The library's own WebAssembly, where it does not find that by itself. */
  readonly wasmBinary?: Uint8Array;
}

/**
 * `@vscode/tree-sitter-wasm` brings sixteen grammars, 22 MB, of which we need one. The build copies that one and the
 * library to `dist/bash-grammar` (`scripts/copy-bash-grammar.ts`); the sources read the package itself.
 */
export function readBashGrammar(): BashGrammar {
  const require = createRequire(import.meta.url);
  if (import.meta.url.endsWith(".ts")) {
    const grammar = require.resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm");
    return { library: require("@vscode/tree-sitter-wasm"), grammar: readFileSync(grammar) };
  }
  // This module is in an entry point of `dist`, or in a chunk one folder deeper.
  const folder = ["./bash-grammar/", "../bash-grammar/"]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  if (folder === undefined) throw new Error("The folder `bash-grammar` of @toolkeep/node is missing.");
  // Few lines need the grammar, and an import would load compression with every decision.
  const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
  const bytesOf = (name: string) => zstdDecompressSync(readFileSync(new URL(`${name}.wasm.zst`, folder)));
  return {
    library: createRequire(folder)("./tree-sitter.cjs"),
    grammar: bytesOf("tree-sitter-bash"),
    wasmBinary: bytesOf("tree-sitter"),
  };
}
