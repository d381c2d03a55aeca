import { bundlePackage } from "./bundle-package.ts";
import { publishedPackages } from "./packages.ts";

for (const workspacePackage of publishedPackages()) {
  const files = await bundlePackage(workspacePackage);
  console.log(`${workspacePackage.manifest.name}: ${files.join(", ")}`);
}
