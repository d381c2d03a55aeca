export { cel } from "./cel/cel.ts";
