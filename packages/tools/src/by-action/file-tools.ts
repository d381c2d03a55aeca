import type { Tool } from "@toolkeep/core";
import type { PdfReader } from "@toolkeep/core/ports";
import { appendTool } from "../files/append-tool.ts";
import { deleteTool } from "../files/delete-tool.ts";
import { diffTool } from "../files/diff-tool.ts";
import { PDF_INPUT } from "../files/file-inputs.ts";
import { READS, WRITES } from "../files/path-arguments.ts";
import { readTool } from "../files/read-tool.ts";
import { writeTool } from "../files/write-tool.ts";
import { applyPatchTool } from "../patches/apply-patch-tool.ts";
import { toolOfActions, underName } from "./tool-of-actions.ts";

export function fileManagerTool(): Tool {
  return toolOfActions({
    name: "file_manager",
    label: "Files",
    description:
      "Works on a file: `read` shows it with line numbers, `write` replaces it as a whole (an existing file must have been read before), `append` adds to its end, `delete` removes it.",
    mode: "destructive",
    requires: { fs: { read: READS, write: WRITES } },
    actions: {
      read: readTool() as Tool,
      write: writeTool() as Tool,
      append: appendTool() as Tool,
      delete: deleteTool() as Tool,
    },
  });
}

export function diffEditorTool(): Tool {
  return toolOfActions({
    name: "diff_editor",
    label: "Diffs",
    description:
      "`apply` applies a patch to one or more files, all of it or nothing. `create` returns the unified diff that turns a file into `content`, and changes nothing.",
    mode: "safe_write",
    requires: { fs: { read: READS, write: WRITES } },
    actions: { apply: applyPatchTool() as Tool, create: diffTool() as Tool },
  });
}

export function pdfReadTool(pdf: PdfReader | undefined): Tool {
  return underName(readTool({ pdf }) as Tool, "pdf_read", {
    label: "Read a PDF",
    description: "Returns the text of a PDF; `offset` and `limit` count pages.",
    inputSchema: PDF_INPUT,
  });
}
