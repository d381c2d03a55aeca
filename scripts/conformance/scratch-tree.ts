import { execFileSync } from "node:child_process";
import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const MODULES = ["node_modules", "{benchmarks,packages/*,tests/*}/node_modules"];

/** A copy of the tree as it is on disk, in which single files are replaced. It costs links alone. */
export class ScratchTree implements Disposable {
  readonly path: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    mkdirSync(join(root, ".cache"), { recursive: true });
    this.path = mkdtempSync(join(root, ".cache/scratch-"));
    const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const file of listed.split("\0")) if (existsSync(join(root, file)) && file !== "") this.#link(file);
    for (const folder of globSync(MODULES, { cwd: root })) this.#linkModules(folder);
  }

  /** Runs something while a file has other content. */
  async with<Outcome>(file: string, content: string, act: () => Promise<Outcome>): Promise<Outcome> {
    const path = join(this.path, file);
    unlinkSync(path);
    writeFileSync(path, content);
    try {
      return await act();
    } finally {
      unlinkSync(path);
      this.#link(file);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #link(file: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    linkSync(join(this.#root, file), join(this.path, file));
  }

  /** Our own packages are links to their folders, which must lead into this tree. */
  #linkModules(folder: string): void {
    mkdirSync(join(this.path, folder), { recursive: true });
    for (const name of readdirSync(join(this.#root, folder))) {
      const to = join(this.path, folder, name);
      if (name !== "@toolkeep") symlinkSync(join(this.#root, folder, name), to);
      else {
        mkdirSync(to);
        for (const own of readdirSync(join(this.#root, folder, name)))
          if (existsSync(join(this.#root, "packages", own)))
            symlinkSync(join(this.path, "packages", own), join(to, own));
      }
    }
  }
}
