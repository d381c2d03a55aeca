import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { ROOT } from "../root.ts";
import type { EntryPoint } from "./entry-points.ts";

/** What an entry point declares. */
export interface Surface {
  /** Exported values and types, sorted. */
  readonly names: readonly string[];
  /** Exported names without a summary. */
  readonly undocumented: readonly string[];
  /** The declared types as text. */
  readonly report: string;
}

/** Reads the built declarations of an entry point. `temporary` is a folder for the extractor's own file. */
export function readSurface(entryPoint: EntryPoint, temporary: string): Surface {
  const config = extractorConfig(entryPoint, temporary);
  const { errorCount } = Extractor.invoke(config, {
    localBuild: false,
    messageCallback: (message) => {
      message.handled = message.category !== "Compiler";
    },
  });
  if (errorCount > 0) throw new Error(`api-extractor cannot read ${entryPoint.declarations}`);
  const report = readFileSync(config.reportTempFilePath, "utf8");
  return { names: namesIn(report), undocumented: undocumentedIn(report), report };
}

function extractorConfig({ package: { folder }, declarations, report }: EntryPoint, temporary: string) {
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    moduleResolution: "nodenext",
    lib: ["esnext"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: declarations,
      compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
      apiReport: {
        enabled: true,
        reportFolder: temporary,
        reportTempFolder: join(temporary, "new"),
        reportFileName: report.replace("api/", ""),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: silent,
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
      newlineKind: "lf",
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, "package.json"),
  });
}

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|namespace|type|let|var) (\w+)/gm;
const RE_EXPORTED = /^export \{ (?:\w+ as )?(\w+) \}/gm;

/** The exported names in a report. */
function namesIn(report: string): readonly string[] {
  const names = [...report.matchAll(DECLARED), ...report.matchAll(RE_EXPORTED)].map(([, name = ""]) => name);
  return [...new Set(names)].toSorted();
}

/** The exported names of a report whose declaration has no summary. */
function undocumentedIn(report: string): readonly string[] {
  const exported = new RegExp(`(?<=\\(undocumented\\)\\n)${DECLARED.source.slice(1)}`, "gm");
  return [...new Set(Array.from(report.matchAll(exported), ([, name = ""]) => name))].toSorted();
}
