import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { sourceStage } from "./source-stage.test.kit.ts";

const { resolve } = createRequire(import.meta.url);
const program = (name: string) => resolve(`@modelcontextprotocol/${name}/dist/index.js`);

test("[C115] servers that people use are taken as they are, each with one client, and nothing of them is suspected", async () => {
  const stage = sourceStage();
  const { source, registry, folder } = stage;
  const servers = {
    everything: [program("server-everything"), "stdio"],
    filesystem: [program("server-filesystem"), folder],
    memory: [program("server-memory")],
    thinking: [program("server-sequential-thinking")],
  };
  const started = Object.entries(servers).map(([name, args]) =>
    source.add({
      kind: "stdio",
      name,
      isOfProject: false,
      command: process.execPath,
      args,
      env: { MEMORY_FILE_PATH: `${folder}/memory.json` },
    }),
  );
  await Promise.all(started);
  expect(source.servers.map(({ entry, status, inReview }) => [entry.name, status.state, inReview])).toEqual(
    Object.keys(servers).map((name) => [name, "ready", []]),
  );
  const names = registry.list().map(({ name }) => name);
  for (const [name, tool] of [
    ["everything", "echo"],
    ["filesystem", "read_text_file"],
    ["memory", "create_entities"],
    ["thinking", "sequentialthinking"],
  ]) {
    expect(names).toContain(`${name}_${tool}`);
  }
  expect(source.servers.flatMap(({ tools }) => tools).toSorted()).toEqual(names.toSorted());
});
