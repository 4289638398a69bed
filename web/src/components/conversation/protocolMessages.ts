/** Finds the protocol messages in what an agent said, so that they are shown as cards and without session keys. */

export type MessageKind =
  | "asked"
  | "requested"
  | "called"
  | "result"
  | "message"
  | "progress"
  | "step"
  | "problem"
  | "done"
  | "failed";

export type TurnSegment =
  | { type: "text"; text: string }
  | {
      type: "message";
      kind: MessageKind;
      /** The agent that is called or addressed. */
      to: string | null;
      /** What the message says, without its keys. */
      text: string;
      /** From 0 to 1; only of progress. */
      progress: number | null;
    };

const TAG_KINDS: Record<string, MessageKind> = {
  ASK_USER: "asked",
  USER_QUESTION: "asked",
  DEPENDENCY_REQUEST: "requested",
  INVOKE: "called",
  DELIVER_RESULT: "result",
  DIRECT: "message",
  PROGRESS: "progress",
  STEP_COMPLETE: "step",
  ERROR: "problem",
};

/** The fields that say what a message is about, in the order in which they are looked for. */
const MAIN_FIELDS: Partial<Record<MessageKind, readonly string[]>> = {
  asked: ["question", "질문"],
  requested: ["name"],
  result: ["content", "내용"],
  message: ["content", "내용"],
  progress: ["task"],
  problem: ["message"],
};

/** Stands where the agent wrote the key of its session; runs of earlier versions have the key itself. */
const KEY_MARK = "‹key›";

const OPENING = /^[\s>*•]*\[([A-Z_]+)(?:\s*:\s*([^\]\s]+))?\s+([a-z0-9]{3,64}|‹key›)\]\s*(.*)$/;
const CLOSING = /^[\s>*•]*\[\/([A-Z_]+)(?:\s+(?:[a-z0-9]{3,64}|‹key›))?\]\s*$/;
const KEYWORD = /^[\s>*•]*(DONE|FAIL):\s*(\S.*?)\s+([a-z0-9]{3,64}|‹key›)\s*$/;
const FIELD = /^\s*(?:[-*•]\s*)?\**([\p{L}_]+)\**\s*[:：]\s?(.*)$/u;

/** Whether a word has the form of a session key. Only messages with a key are cards: others may be an example. */
const isKey = (word: string | undefined) =>
  word !== undefined && (word === KEY_MARK || (/\d/.test(word) && /[a-z]/.test(word)));

const MARKS = /[ \t]*‹key›/g;

/** A text without the marks of keys. */
export const withoutKeyMarks = (text: string): string => text.replaceAll(MARKS, "");

export function toTurnSegments(content: string): TurnSegment[] {
  const segments: TurnSegment[] = [];
  let text: string[] = [];
  let open: { kind: MessageKind; to: string | null; body: string[] } | null = null;
  const endText = () => {
    if (text.some((line) => line.trim() !== ""))
      segments.push({ type: "text", text: withoutKeyMarks(text.join("\n")) });
    text = [];
  };
  const endMessage = () => {
    if (open) segments.push(toMessage(open.kind, open.to, open.body));
    open = null;
  };
  for (const line of content.split("\n")) {
    const [, tag = "", to = null, key, rest = ""] = OPENING.exec(line) ?? [];
    const kind = Object.hasOwn(TAG_KINDS, tag) && isKey(key) ? TAG_KINDS[tag] : undefined;
    const keyword = KEYWORD.exec(line);
    if (kind) {
      endText();
      endMessage();
      open = { kind, to, body: rest === "" ? [] : [rest] };
    } else if (keyword && isKey(keyword[3])) {
      endText();
      endMessage();
      segments.push(toKeywordMessage(keyword[1] === "DONE" ? "done" : "failed", keyword[2] ?? ""));
    } else if (open && CLOSING.test(line)) endMessage();
    else if (open) open.body.push(line);
    else text.push(line);
  }
  endText();
  endMessage();
  return segments;
}

function toMessage(kind: MessageKind, to: string | null, body: readonly string[]): TurnSegment {
  const main = MAIN_FIELDS[kind]?.map((name) => readField(body, name)).find((value) => value !== null);
  const progress = kind === "progress" ? Number.parseFloat(readField(body, "progress") ?? "") : Number.NaN;
  return {
    type: "message",
    kind,
    to,
    text: withoutKeyMarks(main ?? (kind === "progress" ? "" : body.join("\n"))).trim(),
    progress: Number.isNaN(progress) ? null : Math.min(1, Math.max(0, progress)),
  };
}

/** The task is not repeated, as the card is in its conversation; neither are the fields before the reason. */
function toKeywordMessage(kind: MessageKind, parts: string): TurnSegment {
  const [, ...rest] = parts.split(":");
  const reason = rest.join(":").replace(/^(?:[\w-]+=\S*?(?::|$))+/, "");
  return { type: "message", kind, to: null, text: reason.trim(), progress: null };
}

/** The value of a field, with the lines that follow it up to the next field; all of them for the content of a result. */
function readField(body: readonly string[], name: string): string | null {
  const fieldAt = (line: string) => FIELD.exec(line);
  const start = body.findIndex((line) => fieldAt(line)?.[1]?.toLowerCase() === name);
  if (start < 0) return null;
  const takesAll = name === "content" || name === "내용";
  const after = body.slice(start + 1);
  const length = takesAll ? after.length : after.findIndex((line) => fieldAt(line) !== null);
  const more = length < 0 ? after : after.slice(0, length);
  return [fieldAt(body[start] ?? "")?.[2] ?? "", ...more].join("\n");
}
