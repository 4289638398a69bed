import type { Asked } from "./asked";

/** What a task asks, in short. Amber is what waits for a person, and nothing else. */
export function AskedLine({ asked, look = "" }: { asked: Asked; look?: string }) {
  const tone = asked.isForPerson ? "bg-ask-soft font-medium text-ask" : "bg-page text-soft";
  return (
    <span data-asks={asked.isForPerson ? "person" : "orchestrator"} className={`text-xs ${tone} ${look}`}>
      ? {asked.words}
    </span>
  );
}
