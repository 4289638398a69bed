/** Who did something, as people say it: `person:ana` is ana. */
export function actorName(actor: string | null | undefined): string | null {
  return actor?.startsWith("person:") ? actor.slice("person:".length) : null;
}
