/** Makes terminal output readable as text: without colours and cursors, and with overwritten lines overwritten. */

const ESCAPES =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])/g;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

export function plain(text: string): string {
  const lines = text.replace(ESCAPES, "").replace(CONTROLS, "").replaceAll("\r\n", "\n").split("\n");
  return lines
    .map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replaceAll("\r", ""))
    .join("\n");
}
