/** Going to a place on the screen, up a line, to the other screen, or setting what scrolls. */
const DRAWS = /\x1b\[(?:\d+;\d*[Hf]|\d*[AFd]|\?(?:1049|1047|47)h|\d*;\d*r)/;

/** Tells whether a program moves over the screen, so that its lines must stay as long as they are. */
export function drawsScreen(text: string): boolean {
  return DRAWS.test(text);
}
