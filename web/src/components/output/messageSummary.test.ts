import { expect, test } from "vitest";
import { formatMessage, summarizeMessage } from "./messageSummary";

const assistantMessage = (...content: unknown[]) => ({
  type: "assistant",
  message: { role: "assistant", content },
});

test.each<[unknown, string, string]>([
  // Claude Code
  [assistantMessage({ type: "text", text: "I will look." }), "assistant", "I will look."],
  [
    assistantMessage({ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls -l" } }),
    "assistant",
    "Bash: ls -l",
  ],
  [{ type: "system", subtype: "init", model: "opus", tools: ["Bash"] }, "system init", "opus"],
  [{ type: "result", subtype: "success", result: "Done." }, "result success", "Done."],
  [
    {
      type: "stream_event",
      event: { type: "content_block_delta", delta: { type: "text_delta", text: "wor" } },
    },
    "stream_event",
    "wor",
  ],
  [
    {
      type: "control_request",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "rm x" } },
    },
    "control_request can_use_tool",
    "Bash: rm x",
  ],
  [
    { type: "user", message: { role: "user", content: [{ type: "tool_result", content: "3 files" }] } },
    "user",
    "3 files",
  ],
  // Codex
  [
    { method: "item/completed", params: { item: { type: "agentMessage", id: "i1", text: "Ready." } } },
    "item/completed agentMessage",
    "Ready.",
  ],
  [{ method: "item/agentMessage/delta", params: { delta: "Re" } }, "item/agentMessage/delta", "Re"],
  [
    { id: 3, method: "turn/start", params: { input: [{ type: "text", text: "Do it" }] } },
    "turn/start #3",
    "Do it",
  ],
  [{ id: 3, result: { turn: { id: "u1" } } }, "result #3", ""],
  [{ id: 4, error: { code: -32000, message: "no login" } }, "error #4", "no login"],
  // ACP
  [
    {
      jsonrpc: "2.0",
      method: "session/update",
      params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } } },
    },
    "session/update agent_message_chunk",
    "Hi",
  ],
])("the message %j is summarized by its label and text", (value, label, text) => {
  expect(summarizeMessage(JSON.stringify(value))).toEqual({ label, text, isJson: true });
});

test.each(["plain words", '{"half":', "[1,2]", ""])(
  "%j is not JSON of a message, and is shown unchanged",
  (line) => {
    expect(summarizeMessage(line)).toEqual({ label: "", text: line, isJson: false });
    expect(formatMessage(line)).toBe(line);
  },
);

test("JSON is indented, and its length is bounded", () => {
  expect(formatMessage('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatMessage(JSON.stringify({ text: "x".repeat(1_000_000) })).length).toBeLessThan(210_000);
  expect(summarizeMessage(JSON.stringify({ type: "a", text: "word ".repeat(1_000) })).text.length).toBe(300);
});

test("text in deeply nested JSON is ignored", () => {
  const deep = `${'{"content":'.repeat(500)}"x"${"}".repeat(500)}`;
  expect(summarizeMessage(deep)).toEqual({ label: "", text: "", isJson: true });
});
