import { Owner } from "../../../packages/sqlite/src/store/owner.ts";

/** Sweeps without end, as another process with the store open may at any moment. */
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { readonly folder: string };
const owner = new Owner(folder);
console.log("ready");
for (;;) owner.sweep();
