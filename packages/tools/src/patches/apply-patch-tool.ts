import { defineTool, type Effect, type ToolContext, ToolFailure, toolOutput } from "@toolkeep/core";
import { fsDelete, fsRead, fsWrite } from "@toolkeep/core/internal";
import type { FileChange, WrittenFile } from "@toolkeep/core/ports";
import { changedSince, notText, refuseMarks } from "../files/edit-failures.ts";
import { editing } from "../files/edited-file.ts";
import { WRITES } from "../files/path-arguments.ts";
import { SEEN_FILES, type SeenPath } from "../files/seen-files.ts";
import { encodeText, readTextForm } from "../files/text-form.ts";
import { diffTexts } from "../files/unified-diff.ts";
import { applyHunks } from "./apply-hunks.ts";
import {
  type DeletedFile,
  type FilePatch,
  type Hunk,
  linesOf,
  textOf,
  type UpdatedFile,
} from "./file-patch.ts";
import { parsePatch } from "./parse-patch.ts";
import { PATCH_INPUT } from "./patch-input.ts";

/** The tool `apply_patch`: changes several files at once, all of them or none. */
export function applyPatchTool() {
  return defineTool({
    name: "apply_patch",
    label: "Apply a patch",
    description:
      "Applies a patch to one or more files: all of it or, if a part does not fit, nothing. Lines of a hunk begin with a blank, `-` or `+`; without line numbers, give about three unchanged lines around each change, and `@@ line` for a line further up where they are not unique. Paths are absolute, or relative to the workspace.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: PATCH_INPUT,
    requires: { fs: { read: WRITES, write: WRITES } },
    effects: ({ patch }) => parsePatch(patch).flatMap(effectsOf),
    execute: ({ patch }, ctx) => applyPatch(patch, ctx),
  });
}

function effectsOf(file: FilePatch): readonly Effect[] {
  if (file.kind === "add") return [fsWrite(file.path)];
  const { path, hunks } = file;
  if (file.kind === "delete") return [...(hunks.length === 0 ? [] : [fsRead(path)]), fsDelete(path)];
  if (file.movedTo !== undefined) return [fsRead(path), fsDelete(path), fsWrite(file.movedTo)];
  const side = (which: "old" | "new") => hunks.map((hunk) => textOf(linesOf(hunk, which))).join("");
  return [fsRead(path), editing(path, side("old"), side("new"))];
}

/** Applies a patch with the I/O of a call that has its effects. */
async function applyPatch(patch: string, ctx: ToolContext) {
  const files = parsePatch(patch);
  const targets = targetsOf(files, ctx);
  const planned = await planAll(files, { ctx, targets });
  const changes = planned.flatMap((one) => one.changes);
  const written = await ctx.io.files.writeAll(changes);
  changes.forEach((change, index) => {
    remember(targets(change.path), change, written[index]);
  });
  return toolOutput({
    data: planned.map(({ says }) => says).join("\n"),
    details: { files: planned.map(({ path, diff }) => ({ path: targets(path).path, diff })) },
  });
}

/** What a path of the patch is in the session. */
type Targets = (path: string) => SeenPath;

function targetsOf(files: readonly FilePatch[], { sessionId, effects }: ToolContext): Targets {
  const said = files.flatMap(effectsOf);
  const paths = new Map(said.map(({ target }, index) => [target, effects[index]?.target ?? target]));
  return (path) => ({ sessionId, path: paths.get(path) ?? path });
}

interface Planned {
  readonly path: string;
  readonly changes: readonly FileChange[];
  readonly says: string;
  readonly diff: string | undefined;
}

interface Place {
  readonly ctx: ToolContext;
  readonly targets: Targets;
}

/** What becomes of every file. Nothing has changed if this fails, and all parts that do not fit are named at once. */
async function planAll(files: readonly FilePatch[], place: Place): Promise<readonly Planned[]> {
  const named = files.flatMap((file) => [file.path, ...(movedTo(file) ?? [])]);
  const paths = named.map((path) => place.targets(path).path);
  const twice = named.find((_, index) => paths.indexOf(paths[index] ?? "") !== index);
  if (twice !== undefined)
    throw new ToolFailure("invalid_arguments", `The patch names ${JSON.stringify(twice)} more than once.`, {
      hint: "Put all changes of a file into one part of the patch.",
    });
  const planned: Planned[] = [];
  const misfits: ToolFailure[] = [];
  for (const file of files) {
    try {
      planned.push(await plan(file, place));
    } catch (error) {
      if (!ToolFailure.isInstance(error) || error.code !== "conflict") throw error;
      misfits.push(error);
    }
  }
  const [first] = misfits;
  if (first === undefined) return planned;
  throw new ToolFailure(
    "conflict",
    `Nothing was changed. ${misfits.map(({ message }) => message).join("\n")}`,
    {
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      cause: first,
    },
  );
}

function movedTo(file: FilePatch): readonly string[] | undefined {
  return file.kind === "update" && file.movedTo !== undefined ? [file.movedTo] : undefined;
}

async function plan(file: FilePatch, place: Place): Promise<Planned> {
  const { path } = file;
  if (file.kind === "add") {
    const content = new TextEncoder().encode(file.content);
    return {
      path,
      changes: [{ path, content, expects: "absent" }],
      says: `Added ${path}: ${counted(file.content, "+")}.${modeNote(file)}`,
      diff: await diffTexts(path, "", file.content),
    };
  }
  if (file.kind === "update") return planUpdate(file, place);
  return planDelete(file, place);
}

async function planUpdate(file: UpdatedFile, place: Place): Promise<Planned> {
  const { path, hunks } = file;
  const { text, encode, expects } = await open(path, place);
  refuseMarks(path, textOf(hunks.flatMap(({ lines }) => lines.filter(({ mark }) => mark === "+"))), text);
  const after = applyHunks(path, text, hunks);
  const content = encode(after);
  const diff = await diffTexts(path, text, after);
  const done = `${marks(hunks)}.${modeNote(file)}`;
  if (file.movedTo === undefined)
    return { path, changes: [{ path, content, expects }], says: `Updated ${path}: ${done}`, diff };
  return {
    path,
    changes: [
      { path, expects },
      { path: file.movedTo, content, expects: "absent" },
    ],
    says: `Moved ${path} to ${file.movedTo}: ${done}`,
    diff,
  };
}

async function planDelete({ path, hunks }: DeletedFile, place: Place): Promise<Planned> {
  const says = `Deleted ${path}.`;
  const seen = SEEN_FILES.get(place.targets(path));
  if (hunks.length === 0)
    return { path, changes: [{ path, ...(seen && { expects: seen.version }) }], says, diff: undefined };
  const { text, expects } = await open(path, place);
  if (applyHunks(path, text, hunks) !== "")
    throw new ToolFailure("conflict", `${JSON.stringify(path)} has more lines than the patch deletes.`, {
      hint: "Read it again, or delete it with `*** Delete File`.",
    });
  return { path, changes: [{ path, expects }], says, diff: await diffTexts(path, text, "") };
}

interface OpenedText {
  readonly text: string;
  readonly expects: string;
  encode(text: string): Uint8Array;
}

async function open(path: string, { ctx, targets }: Place): Promise<OpenedText> {
  const { bytes, version } = await ctx.io.files.read(path);
  const seen = SEEN_FILES.get(targets(path));
  if (seen !== undefined && seen.version !== version) throw changedSince(path);
  const content = readTextForm(bytes);
  if (content.isBinary) throw notText(path);
  const { text, form } = content;
  return { text, expects: version, encode: (after) => encodeText(after, form) };
}

/** A session knows what it has added, and what it knew before. */
function remember(
  target: SeenPath,
  { content, expects }: FileChange,
  written: WrittenFile | undefined,
): void {
  if (content === undefined) SEEN_FILES.delete(target);
  if (content === undefined || written === undefined) return;
  const seen = SEEN_FILES.get(target);
  if (seen === undefined && expects !== "absent") return;
  const isWhole = expects === "absent" || seen?.bytes !== undefined;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  SEEN_FILES.set(target, { version: written.version, ...(isWhole ? { bytes } : {}) });
}

function marks(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (wanted: string) => lines.filter(({ mark }) => mark === wanted).length;
  return `+${count("+")} -${count("-")} lines`;
}

function counted(content: string, mark: string): string {
  const lines = content.split("\n").length - (content === "" || content.endsWith("\n") ? 1 : 0);
  return `${mark}${lines} lines`;
}

function modeNote(file: { readonly setsMode?: true }): string {
  return file.setsMode === true ? " Its permissions stay as they are: the patch cannot change them." : "";
}
