/**
 * C1 control characters, bidirectional overrides, and invisible characters, which can hide text or make two names look
 * equal. Joiners stay: scripts and emoji need them. The same as in the terminal (printable.rs).
 */
const HIDDEN =
  /[\u0080-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** Parses JSON of the server. Hidden characters in the texts of agents become visible as replacement characters. */
export function parseVisible<T>(json: string): T {
  return JSON.parse(json.replace(HIDDEN, "\ufffd"));
}
