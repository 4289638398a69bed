/** Moving the cursor to a position or up, switching to the alternate screen, or setting a scroll region. */
const DRAWS = /\x1b\[(?:\d+;\d*[Hf]|\d*[AFd]|\?(?:1049|1047|47)h|\d*;\d*r)/;

/** Whether a program draws on the screen, so that its lines must not be wrapped. */
export function drawsScreen(text: string): boolean {
  return DRAWS.test(text);
}
