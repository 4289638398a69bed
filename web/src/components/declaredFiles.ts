/** Compares changed files with those that the plan declares for a task. */

const PATTERN = /[*?[{]/;

/** The folders and the name of a declared path, up to its first pattern: what follows is not compared. */
function fixedParts(declared: string): string[] {
  const parts = declared
    .trim()
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const end = parts.findIndex((part) => PATTERN.test(part));
  return end < 0 ? parts : parts.slice(0, end);
}

/** Whether a file is one of the declared ones, or may be. Without declared files every file is. */
export function isDeclared(path: string, declared: readonly string[]): boolean {
  if (declared.length === 0) return true;
  const parts = path.split("/");
  return declared.some((one) => fixedParts(one).every((part, n) => part === parts[n]));
}
