/** Whether the browser shows notifications: the browser must allow it, and the setting can turn it off. */

const STORAGE_KEY = "jangdan.calls";

export const canNotify = "Notification" in globalThis;

export function notificationsAreOn(): boolean {
  return canNotify && Notification.permission === "granted" && localStorage.getItem(STORAGE_KEY) !== "off";
}

/** Turns notifications on or off. Returns whether they are on now: the browser may deny them. */
export async function setNotificationsOn(on: boolean): Promise<boolean> {
  localStorage.setItem(STORAGE_KEY, on ? "on" : "off");
  if (on) await Notification.requestPermission();
  return notificationsAreOn();
}
