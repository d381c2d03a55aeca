/** One attack on what contains commands. `{…}` stands for places of the stage. */
export interface ContainAttack {
  readonly id: string;
  readonly area: "layer" | "git" | "commit" | "undo" | "holder" | "network";
  readonly tries: string;
  /** What the user did before, outside. */
  readonly setup?: string;
  /** Contained commands, one after another. */
  readonly calls: readonly string[];
  /** What the last of them may reach. */
  readonly granted?: {
    readonly port?: true;
    readonly hosts?: readonly { readonly host: string; readonly port: number }[];
  };
  /** Written to `/tmp` of the place by a process that stays after the last command, once it has tried. */
  readonly waitsFor?: "tried";
  /** What the user does then, outside. */
  readonly user?: string;
  /** What the user asks for after that, which may be refused. */
  readonly then?: "undo" | "keep";
  /** The last command must not run. */
  readonly refused?: true;
  /** A line that succeeds if all is well, run by the user at the end. */
  readonly holds?: string;
  /** What no command may print. */
  readonly never?: RegExp;
  /** Root keeps the state where the user cannot write. */
  readonly as?: "user";
  /** There is nothing to attack without a place or a layer; else it does harm there, which shows that it can. */
  readonly onlyContained?: true;
}

/** Continues once the command is over, and says that it has tried. */
export const late = (then: string) =>
  `setsid sh -c 'sleep 2; ${then}; touch /tmp/tried' > /dev/null 2>&1 < /dev/null &`;

export const python = (...lines: readonly string[]) => `python3 - <<'END'\n${lines.join("\n")}\nEND\n`;
