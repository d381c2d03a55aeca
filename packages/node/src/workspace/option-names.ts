import type { WorkspaceOptions } from "./workspace.ts";

/** What a workspace can be opened with. */
export const WORKSPACE_OPTIONS: Readonly<Record<keyof WorkspaceOptions, true>> = {
  roots: true,
  adHoc: true,
  variables: true,
  sandbox: true,
  limits: true,
  network: true,
  environment: true,
  store: true,
  sidecars: true,
  guarded: true,
  onNote: true,
  catalog: true,
  contain: true,
};
