/** The message of what was thrown, or its stack. Never throws itself. */
export function errorText(error: unknown, form: "message" | "stack" = "message"): string {
  try {
    if (error instanceof Error) return (form === "stack" ? error.stack : undefined) ?? error.message;
    return String(error);
  } catch {
    return "something that cannot be shown";
  }
}
