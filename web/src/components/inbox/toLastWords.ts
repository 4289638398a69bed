import type { TurnRow } from "~/api/generated";

/** The end of a longer text is enough: it says why the agent stopped. */
const LENGTH_MAX = 400;

export type LastWords = { agent: string; sentAt: number; text: string };

/** The end of the last text of an agent, without protocol messages, which have session keys. */
export function lastWords(turns: Readonly<Record<string, TurnRow>>): LastWords | null {
  const spoken = Object.values(turns)
    .filter(({ role, kind }) => role === "agent" && (kind === "text" || kind === "step"))
    .sort((left, right) => right.index - left.index);
  for (const { agent, sentAt, content } of spoken) {
    const text = withoutMessages(content);
    if (agent !== null && text !== "")
      return { agent, sentAt, text: text.length > LENGTH_MAX ? `…${text.slice(-LENGTH_MAX)}` : text };
  }
  return null;
}

const withoutMessages = (content: string): string =>
  content
    .replace(/^[\s>*•]*\[([A-Z_]+)[^\]\n]*\][\s\S]*?\[\/\1[^\]\n]*\]\s*$/gm, "")
    .replace(/^[\s>*•]*(?:DONE|FAIL):.*$/gm, "")
    .replace(/[ \t]*‹key›/g, "")
    .trim();
