export { type FolderOutputsOptions, folderOutputs } from "./outputs/folder-outputs.ts";
export type { OutputStorage } from "./outputs/output-storage.ts";
export { type S3OutputsOptions, s3Outputs } from "./outputs/s3-outputs.ts";
export type { S3Credentials } from "./outputs/sign-request.ts";
