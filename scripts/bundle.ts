import { bundlePackage } from "./bundle-package.ts";
import { publishedPackages } from "./packages.ts";
import { pruneDeclarations } from "./prune-declarations.ts";

for (const workspacePackage of publishedPackages()) {
  const files = await bundlePackage(workspacePackage);
  pruneDeclarations(workspacePackage);
  console.log(`${workspacePackage.manifest.name}: ${files.join(", ")}`);
}
