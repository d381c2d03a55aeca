import type { Registry } from "@toolkeep/core";
import { fsRead, fsWrite } from "@toolkeep/core/internal";
import { openApiTools } from "@toolkeep/openapi";

const text = { type: "string" } as const;
const answer = { "200": { description: "Fine." } };

/** A service whose PUT writes into the workspace, which the host application declares and the document does not. */
const FILES = {
  openapi: "3.1.0",
  info: { title: "files", version: "1.0.0" },
  paths: {
    "/files/{path}": {
      put: {
        operationId: "putFile",
        parameters: [{ name: "path", in: "path", required: true, schema: text }],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { type: "object", properties: { text }, required: ["text"] } },
          },
        },
        responses: answer,
      },
    },
  },
};

const PAGES = {
  openapi: "3.1.0",
  info: { title: "pages", version: "1.0.0" },
  paths: { "/page": { get: { operationId: "getPage", responses: answer } } },
};

export async function restTools(
  registry: Registry,
  { root, port }: { root: string; port: number },
): Promise<void> {
  const directories = ["{workspace}/**"];
  const files = await openApiTools({
    document: FILES,
    baseUrl: `http://files.test:${port}`,
    prefix: "",
    means: () => ({
      requires: { fs: { read: directories, write: directories } },
      effects: (args) => {
        const path = `${root}/${String((args as { path?: string }).path)}`;
        return [fsRead(path), fsWrite(path)];
      },
    }),
  });
  files.register(registry);
  for (const host of ["docs", "evil"]) {
    const pages = await openApiTools({
      document: PAGES,
      baseUrl: `http://${host}.test:${port}`,
      prefix: host,
    });
    pages.register(registry);
  }
}
