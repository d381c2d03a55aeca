import { join } from "node:path";

/** Documents of services in use, as their makers publish them. */
export const REAL_DOCUMENTS = {
  gitbook: "@gitbook/api/spec/openapi.json",
  neon: "@neondatabase/api-client/public-v2-for-users.gen.yaml",
  directus: "@directus/specs/dist/openapi.json",
  readme: "@readme/oas-examples/3.1/json/readme.json",
  "star-trek": "@readme/oas-examples/3.0/json/star-trek.json",
} as const;

const PACKAGES = join(import.meta.dirname, "..", "..", "node_modules");

export function documentPath(name: keyof typeof REAL_DOCUMENTS): string {
  return join(PACKAGES, REAL_DOCUMENTS[name]);
}
