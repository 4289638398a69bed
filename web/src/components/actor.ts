/** The name of a person (`person:ana` is ana); `null` for other actors. */
export function personNameOfActor(actor: string | null | undefined): string | null {
  return actor?.startsWith("person:") ? actor.slice("person:".length) : null;
}
