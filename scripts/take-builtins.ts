import type { Plugin } from "rolldown";

/** The imports at the top of a chunk. Texts below may have lines that look like imports. */
const HEAD = /^(?:import [^\n]*\n)*/;
/** `import { a, b as c } from "node:x";`, as the bundler writes it. */
const NAMED_IMPORT = /^import \{ ([^}]+) \} from "(node:[\w/]+)";$/gm;

/**
 * Takes what a file needs of Node's modules by name. An `import` of such a module evaluates all its exports, and some of
 * them load dozens of other modules when they are looked at: promises, streams, web streams.
 * @param isLeft Tells the chunks that keep their imports: an older Node must be able to load them.
 */
export function takeBuiltins(isLeft: (chunk: string) => boolean): Plugin {
  return {
    name: "take-builtins",
    renderChunk(code, { name }) {
      return isLeft(name) ? null : code.replace(HEAD, (head) => head.replaceAll(NAMED_IMPORT, taken));
    },
  };
}

function taken(_: string, names: string, module: string): string {
  return `const { ${names.replaceAll(" as ", ": ")} } = process.getBuiltinModule("${module}");`;
}
