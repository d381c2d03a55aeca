import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";

const PACKAGE = "@vscode/tree-sitter-wasm";
const COMPRESSION_LEVEL = 19;

/** Copies tree-sitter and its bash grammar, with their license, to `bash-grammar` in a folder. */
export function copyBashGrammar(output: string): void {
  const from = dirname(fileURLToPath(import.meta.resolve(`${PACKAGE}/package.json`)));
  const to = join(output, "bash-grammar");
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, "LICENSE"), join(to, "LICENSE"));
  // The library is CommonJS, and our packages are modules.
  copyFileSync(join(from, "wasm/tree-sitter.js"), join(to, "tree-sitter.cjs"));
  for (const name of ["tree-sitter.wasm", "tree-sitter-bash.wasm"]) {
    const compressed = zstdCompressSync(readFileSync(join(from, "wasm", name)), {
      params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL },
    });
    writeFileSync(join(to, `${name}.zst`), compressed);
  }
}
