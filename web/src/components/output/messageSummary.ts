/** Summarizes and formats one message of an agent's protocol. */

export type MessageSummary = {
  /** Its type or method. */
  label: string;
  /** The text in it. */
  text: string;
  /** Whether it is JSON, so that it can be unfolded. */
  isJson: boolean;
};

type JsonObject = Record<string, unknown>;

const TEXT_MAX = 300;
/** The rest of a longer message is only in the server's answer for the output. */
const FULL_MAX = 200_000;
const DEPTH_MAX = 8;

/** The fields in which agents put text, the most telling first. */
const TEXT_FIELDS = [
  ...["text", "delta", "thinking", "command", "aggregatedOutput", "result", "error", "message", "reason"],
  ...["content", "item", "update", "msg", "event", "prompt", "input", "request", "response", "toolCall"],
  ...[
    "questions",
    "question",
    "title",
    "name",
    "tool_name",
    "description",
    "file_path",
    "path",
    "todos",
    "entries",
    "plan",
    "params",
    "model",
  ],
];
/** The fields that name the kind of an inner message. */
const KIND_FIELDS = ["subtype", "sessionUpdate"];

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseJsonObject(line: string): JsonObject | null {
  const text = line.trim();
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function summarizeMessage(line: string): MessageSummary {
  const fields = parseJsonObject(line);
  if (!fields) return { label: "", text: line.slice(0, TEXT_MAX), isJson: false };
  return {
    label: messageLabel(fields),
    text: findText(fields, 0).replace(/\s+/g, " ").trim().slice(0, TEXT_MAX),
    isJson: true,
  };
}

/** Indents JSON; returns any other line unchanged. */
export function formatMessage(line: string): string {
  const fields = parseJsonObject(line);
  const text = fields ? JSON.stringify(fields, null, 2) : line;
  return text.length > FULL_MAX ? `${text.slice(0, FULL_MAX)}…` : text;
}

function messageLabel(fields: JsonObject): string {
  const id = typeof fields["id"] === "string" || typeof fields["id"] === "number" ? ` #${fields["id"]}` : "";
  if (typeof fields["method"] === "string")
    return [fields["method"], findInnerKind(fields["params"])].filter(Boolean).join(" ") + id;
  if ("error" in fields && id) return `error${id}`;
  if ("result" in fields && id) return `result${id}`;
  if (typeof fields["type"] !== "string") return id.trim();
  const inner = [fields, fields["request"], fields["response"], fields["event"]]
    .map(findInnerKind)
    .find(Boolean);
  return [fields["type"], inner].filter(Boolean).join(" ");
}

/** The kind of an inner message. */
function findInnerKind(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const name of KIND_FIELDS) if (typeof value[name] === "string") return value[name];
  const inner = value["update"] ?? value["item"];
  if (!isJsonObject(inner)) return undefined;
  return [inner["sessionUpdate"], inner["type"]].find((kind) => typeof kind === "string");
}

/** The text of the first field of `TEXT_FIELDS` that has any. */
function findText(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (depth > DEPTH_MAX) return "";
  if (Array.isArray(value)) {
    const texts = value.slice(0, 8).map((part) => findText(part, depth + 1));
    return texts.filter((text) => text.trim() !== "").join(" · ");
  }
  if (!isJsonObject(value)) return "";
  const tool = toolCallText(value, depth);
  if (tool) return tool;
  for (const name of TEXT_FIELDS) {
    if (!(name in value)) continue;
    const text = findText(value[name], depth + 1);
    if (text.trim() !== "") return text;
  }
  return "";
}

/** A tool call: `Bash: ls`. */
function toolCallText(value: JsonObject, depth: number): string {
  const name = value["name"] ?? value["tool_name"];
  if (typeof name !== "string" || !isJsonObject(value["input"])) return "";
  const text = findText(value["input"], depth + 1) || JSON.stringify(value["input"]);
  return `${name}: ${text}`;
}
