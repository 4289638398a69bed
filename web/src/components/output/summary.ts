/** A line of an agent's protocol in short, and in full. */

export type Summary = {
  /** What it is: its type, or its method. */
  what: string;
  /** The words in it. */
  text: string;
  /** Whether it is JSON, so that there is more to show. */
  isJson: boolean;
};

type Fields = Record<string, unknown>;

const TEXT_MAX = 300;
/** More is not shown of one line: the whole is in what the server answers for the output. */
const FULL_MAX = 200_000;
const DEPTH_MAX = 8;

/** Where agents put words, the most telling first. */
const WORDS = [
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
/** What says of what kind something inside is. */
const KINDS = ["subtype", "sessionUpdate"];

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(line: string): Fields | null {
  const text = line.trim();
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

export function summarize(line: string): Summary {
  const fields = parsed(line);
  if (!fields) return { what: "", text: line.slice(0, TEXT_MAX), isJson: false };
  return {
    what: whatOf(fields),
    text: wordsIn(fields, 0).replace(/\s+/g, " ").trim().slice(0, TEXT_MAX),
    isJson: true,
  };
}

/** The line as people read JSON; as it is where it is none. */
export function inFull(line: string): string {
  const fields = parsed(line);
  const text = fields ? JSON.stringify(fields, null, 2) : line;
  return text.length > FULL_MAX ? `${text.slice(0, FULL_MAX)}…` : text;
}

function whatOf(fields: Fields): string {
  const id = typeof fields["id"] === "string" || typeof fields["id"] === "number" ? ` #${fields["id"]}` : "";
  if (typeof fields["method"] === "string")
    return [fields["method"], kindIn(fields["params"])].filter(Boolean).join(" ") + id;
  if ("error" in fields && id) return `error${id}`;
  if ("result" in fields && id) return `result${id}`;
  if (typeof fields["type"] !== "string") return id.trim();
  const inner = [fields, fields["request"], fields["response"], fields["event"]].map(kindIn).find(Boolean);
  return [fields["type"], inner].filter(Boolean).join(" ");
}

/** What something inside calls itself. */
function kindIn(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  for (const name of KINDS) if (typeof value[name] === "string") return value[name];
  const inner = value["update"] ?? value["item"];
  if (!isFields(inner)) return undefined;
  return [inner["sessionUpdate"], inner["type"]].find((kind) => typeof kind === "string");
}

/** The first words that are found, the most telling places first. */
function wordsIn(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (depth > DEPTH_MAX) return "";
  if (Array.isArray(value)) {
    const words = value.slice(0, 8).map((part) => wordsIn(part, depth + 1));
    return words.filter((part) => part.trim() !== "").join(" · ");
  }
  if (!isFields(value)) return "";
  const used = toolIn(value, depth);
  if (used) return used;
  for (const name of WORDS) {
    if (!(name in value)) continue;
    const words = wordsIn(value[name], depth + 1);
    if (words.trim() !== "") return words;
  }
  return "";
}

/** A tool with what it is used for: `Bash: ls`. */
function toolIn(value: Fields, depth: number): string {
  const name = value["name"] ?? value["tool_name"];
  if (typeof name !== "string" || !isFields(value["input"])) return "";
  const words = wordsIn(value["input"], depth + 1) || JSON.stringify(value["input"]);
  return `${name}: ${words}`;
}
