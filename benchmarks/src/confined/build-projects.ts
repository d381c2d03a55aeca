import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A build of a small project that needs no network. */
export interface BuildProject {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly files: Readonly<Record<string, string>>;
  /** Makes what no text can be, in the folder of the project. */
  prepare?(folder: string): void;
}

/** Enough of the standard library that an empty cache is felt. */
const SERVER = `package main

import (
	"encoding/json"
	"log"
	"net/http"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"state": "up"})
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:0", nil))
}
`;

const WHEEL = "sample-1.0-py3-none-any.whl";

export const BUILD_PROJECTS: readonly BuildProject[] = [
  {
    name: "go vet",
    argv: ["go", "vet", "./..."],
    files: { "go.mod": "module example.test/server\n\ngo 1.19\n", "main.go": SERVER },
  },
  {
    name: "cargo check",
    argv: ["cargo", "check", "--offline", "--quiet"],
    files: {
      "Cargo.toml": '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": 'fn main() {\n    println!("up");\n}\n',
    },
  },
  {
    name: "pip install of a wheel",
    argv: ["pip3", "install", "--quiet", "--no-index", "--upgrade", "--target", "installed", WHEEL],
    files: {
      "sample.py": "UP = True\n",
      "sample-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n",
      "sample-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
      "sample-1.0.dist-info/RECORD": "",
    },
    prepare: (folder) =>
      execFileSync("python3", ["-m", "zipfile", "-c", WHEEL, "sample.py", "sample-1.0.dist-info"], {
        cwd: folder,
      }),
  },
  {
    name: "pnpm install --offline",
    argv: ["pnpm", "install", "--offline", "--force", "--silent"],
    files: {
      "package.json": '{ "name": "app", "dependencies": { "sample": "file:sample.tgz" } }\n',
      "package/package.json": '{ "name": "sample", "version": "1.0.0" }\n',
      "package/index.js": "module.exports = true;\n",
    },
    prepare: (folder) => execFileSync("tar", ["-czf", "sample.tgz", "package"], { cwd: folder }),
  },
];

/** Lays a project out in a folder. @throws if a program is missing that it is made with. */
export function layOut({ files, prepare }: BuildProject, folder: string): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  prepare?.(folder);
}
