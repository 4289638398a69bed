/**
 * The end of a stream of server-sent events, so that somebody who comes later can take it up at a place.
 *
 * It holds what has come in whole events since a place of the log, and never more than a bound. An id stands on the last
 * change of an entry only, so an entry is given whole or not at all.
 */

/** What is older can be had from the server. */
const CHARS_MAX = 256 << 10;

type Entry = { id: string; text: string };

export class History {
  /** The place behind which everything is here. */
  #first: string | null;
  #entries: Entry[] = [];
  /** The beginning of an entry of which more is to come. */
  #open = "";
  #rest = "";
  #chars = 0;

  constructor(after: string | null) {
    this.#first = after;
  }

  /** The last place that was heard whole. */
  get place(): string | null {
    return this.#entries.at(-1)?.id ?? this.#first;
  }

  push(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#take(block);
  }

  /** What comes behind a place, or from now on; nothing where that is not known here any more. */
  since(place: string | null): string | null {
    const last = this.place;
    if (last === null) return null;
    if (place === null) return `id: ${last}\n\n${this.#open}${this.#rest}`;
    // Who was ahead hears something twice, and a row that is put twice is the same row.
    if (Number(place) >= Number(last)) return this.#open + this.#rest;
    const at = this.#entries.findIndex(({ id }) => id === place);
    if (at < 0 && place !== this.#first) return null;
    const texts = this.#entries.slice(at + 1).map(({ text }) => text);
    return texts.join("") + this.#open + this.#rest;
  }

  #take(block: string): void {
    // What is only seen is of the moment, and a line with a colon says nothing.
    const isKept = /^data:/m.test(block) && !/^event: ?session\.seen$/m.test(block);
    if (isKept) this.#open += `${block}\n\n`;
    const id = /^id: ?(\S+)$/m.exec(block)?.[1];
    if (id === undefined) return;
    const text = isKept ? this.#open : `${this.#open}id: ${id}\n\n`;
    // Of the very first place nothing is known but its name.
    if (this.place === null) this.#first = id;
    else this.#entries.push({ id, text });
    this.#open = "";
    this.#chars += text.length;
    this.#forget();
  }

  #forget(): void {
    while (this.#chars > CHARS_MAX) {
      const gone = this.#entries.shift();
      if (!gone) return;
      this.#first = gone.id;
      this.#chars -= gone.text.length;
    }
  }
}
