export { runProgram } from "./program.ts";
export { VERSION } from "./terminal/version.ts";
