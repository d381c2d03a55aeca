import type { PathTemplate } from "./path-template.ts";
import type { BodyPart } from "./read-body.ts";
import type { Parameter } from "./read-parameters.ts";

/** How the arguments of a call become a request. */
export interface RequestPlan {
  readonly template: PathTemplate;
  /** By the names of the arguments, which can differ from those of the parameters. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly body?: { readonly argument: string; readonly part: BodyPart };
}
