/** Whether the browser calls: it must be allowed, and it can be switched off again. */

const CHOSEN = "jangdan.calls";

export const canCall = "Notification" in globalThis;

export function callsAreOn(): boolean {
  return canCall && Notification.permission === "granted" && localStorage.getItem(CHOSEN) !== "off";
}

/** Switches calls on or off, and returns whether they are on now: the browser may say no. */
export async function chooseCalls(on: boolean): Promise<boolean> {
  localStorage.setItem(CHOSEN, on ? "on" : "off");
  if (on) await Notification.requestPermission();
  return callsAreOn();
}
