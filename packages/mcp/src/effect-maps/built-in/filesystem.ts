import type { EffectMap, MappedTool } from "../effect-map.ts";

const READ: MappedTool = {
  mode: "read",
  idempotent: true,
  effects: [{ capability: "fs.read", target: "{path}" }],
};

/** Names under a directory are read with it. */
const READ_TREE: MappedTool = {
  ...READ,
  effects: [...READ.effects, { capability: "fs.read", target: "{path}/**", entriesOf: "{path}" }],
};

/** `@modelcontextprotocol/server-filesystem`. */
export const FILESYSTEM_MAP: EffectMap = {
  name: "filesystem",
  packages: ["npm:@modelcontextprotocol/server-filesystem", "program:mcp-server-filesystem"],
  tools: {
    read_file: { ...READ, arguments: ["head", "tail"] },
    read_text_file: { ...READ, arguments: ["head", "tail"] },
    read_media_file: READ,
    read_multiple_files: {
      mode: "read",
      idempotent: true,
      effects: [{ capability: "fs.read", target: "{paths[]}" }],
    },
    write_file: {
      mode: "destructive",
      idempotent: true,
      effects: [{ capability: "fs.write", target: "{path}" }],
      arguments: ["content"],
    },
    edit_file: {
      mode: "safe_write",
      effects: [
        { capability: "fs.read", target: "{path}" },
        { capability: "fs.write", target: "{path}" },
      ],
      arguments: ["edits[].oldText", "edits[].newText", "dryRun"],
    },
    create_directory: {
      mode: "safe_write",
      idempotent: true,
      effects: [{ capability: "fs.write", target: "{path}" }],
    },
    list_directory: READ,
    list_directory_with_sizes: { ...READ, arguments: ["sortBy"] },
    directory_tree: { ...READ_TREE, arguments: ["excludePatterns"] },
    search_files: { ...READ_TREE, arguments: ["pattern", "excludePatterns"] },
    get_file_info: READ,
    // Under its new name it could be read by tools that may not read it now.
    move_file: {
      mode: "destructive",
      effects: [
        { capability: "fs.read", target: "{source}" },
        { capability: "fs.delete", target: "{source}" },
        { capability: "fs.write", target: "{destination}" },
        { capability: "fs.read", target: "{source}/**", entriesOf: "{source}" },
        { capability: "fs.delete", target: "{source}/**", entriesOf: "{source}" },
        { capability: "fs.write", target: "{destination}/**", entriesOf: "{source}" },
      ],
    },
    list_allowed_directories: { mode: "read", idempotent: true, effects: [] },
  },
  // Directories that it may access.
  start: { file: "dist/index.js", args: ["*"] },
};
