/** The names that clients have for an argument, by what it holds. */
export const FILES = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "target_file",
  "notebook_path",
  "target_notebook",
  "file_paths",
];
export const FOLDERS = ["dir_path", "directory", "target_directory", "working_directory", "workdir", "cwd"];
export const PATHS = [...FOLDERS, "path"];
export const PATTERNS = ["pattern", "glob_pattern"];
export const FILTERS = ["glob", "include", "include_pattern", "glob_pattern"];
export const URLS = ["url", "urls", "uri"];
