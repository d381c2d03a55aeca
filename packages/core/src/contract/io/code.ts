/** Port: runs a program that a model wrote, where it reaches no file of the user, no host and no process. */
export interface CodeRunner {
  /** An error of the program, or a bound it exceeds, is an outcome. @throws ToolFailure `unavailable` without containment. */
  run(program: CodeProgram): Promise<CodeOutcome>;
}

/** A language that programs are run in. */
export type CodeLanguage = "javascript" | "python";

/** A program to run. */
export interface CodeProgram {
  readonly language: CodeLanguage;
  readonly code: string;
  /** Ends the program after so long. */
  readonly timeoutMs: number;
}

/** What became of a program. All of it was made by the program: it is as untrusted as the code. */
export interface CodeOutcome {
  /** What it printed. */
  readonly output: string;
  /** The value of its last expression: as JSON, or as the language writes it where it is no JSON. */
  readonly value?: string;
  readonly error?: CodeError;
  /** The figures it left open, as PNG in Base64. */
  readonly figures?: readonly string[];
}

/** Why a program failed. */
export interface CodeError {
  readonly message: string;
  readonly line?: number;
}
