/** Port: what an agent can learn on demand. */
export interface Skills {
  /** One line for each skill, for the prompt. */
  index(): readonly SkillEntry[];
  /** The whole text of a skill; `undefined` when there is none of that name. */
  load(name: string): Promise<string | undefined>;
}

/** A skill in the list that a model sees. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
}
