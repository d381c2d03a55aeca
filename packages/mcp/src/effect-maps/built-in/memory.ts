import type { EffectMap, MappedTool } from "../effect-map.ts";

const READ: MappedTool = {
  mode: "read",
  idempotent: true,
  effects: [{ capability: "memory.read", target: "*" }],
};

const WRITE: MappedTool = { mode: "safe_write", effects: [{ capability: "memory.write", target: "*" }] };

const DELETE: MappedTool = {
  mode: "destructive",
  idempotent: true,
  effects: [{ capability: "memory.delete", target: "*" }],
};

/** `@modelcontextprotocol/server-memory`: one graph in its own file. */
export const MEMORY_MAP: EffectMap = {
  name: "memory",
  packages: ["npm:@modelcontextprotocol/server-memory", "program:mcp-server-memory", "image:mcp/memory"],
  tools: {
    read_graph: READ,
    search_nodes: { ...READ, arguments: ["query"] },
    open_nodes: { ...READ, arguments: ["names"] },
    create_entities: { ...WRITE, arguments: ["entities"] },
    create_relations: { ...WRITE, arguments: ["relations"] },
    add_observations: { ...WRITE, arguments: ["observations"] },
    delete_entities: { ...DELETE, arguments: ["entityNames"] },
    delete_observations: { ...DELETE, arguments: ["deletions"] },
    delete_relations: { ...DELETE, arguments: ["relations"] },
  },
  // Not MEMORY_FILE_PATH: the graph could then be any file.
  start: { file: "dist/index.js" },
};
