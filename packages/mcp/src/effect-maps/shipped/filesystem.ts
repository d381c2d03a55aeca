import type { EffectMap, MappedTool } from "../effect-map.ts";

const READ: MappedTool = {
  mode: "read",
  idempotent: true,
  effects: [{ capability: "fs.read", target: "{path}" }],
};

/** `@modelcontextprotocol/server-filesystem`. What lists or searches shows names alone, so it is the folder that is read. */
export const FILESYSTEM_MAP: EffectMap = {
  name: "filesystem",
  packages: ["npm:@modelcontextprotocol/server-filesystem", "program:mcp-server-filesystem"],
  tools: {
    read_file: READ,
    read_text_file: READ,
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
    },
    edit_file: {
      mode: "safe_write",
      effects: [
        { capability: "fs.read", target: "{path}" },
        { capability: "fs.write", target: "{path}" },
      ],
    },
    create_directory: {
      mode: "safe_write",
      idempotent: true,
      effects: [{ capability: "fs.write", target: "{path}" }],
    },
    list_directory: READ,
    list_directory_with_sizes: READ,
    directory_tree: READ,
    search_files: READ,
    get_file_info: READ,
    // Under its new name it could be read by whoever may not read it now.
    move_file: {
      mode: "destructive",
      effects: [
        { capability: "fs.read", target: "{source}" },
        { capability: "fs.delete", target: "{source}" },
        { capability: "fs.write", target: "{destination}" },
      ],
    },
    list_allowed_directories: { mode: "read", idempotent: true, effects: [] },
  },
  // Folders that it may touch.
  start: { file: "dist/index.js", words: ["*"] },
};
