/**
 * One call for each thing that waits, from one tab of many, and none while somebody looks at any of them.
 *
 * The tabs know of each other by the browser's locks, which go with their tab however that ends: who is looked at holds one
 * together with others, and who calls holds one alone for as long as the thing waits.
 */

const LOOKED_AT = "jangdan.looked-at";

/** A browser without locks has every tab call by itself; it shows calls about the same thing as one. */
const locks: Pick<LockManager, "request" | "query"> | undefined = globalThis.navigator?.locks;

/** Lets other tabs know whether this one is looked at, until the page leaves. */
export function tellWhoLooks(): () => void {
  let release = () => {};
  const look = () => {
    if (!document.hasFocus()) return;
    void hold(LOOKED_AT, "shared", (free) => {
      release();
      release = free;
      // They may have gone before the lock came.
      if (!document.hasFocus()) free();
    });
  };
  const leave = () => release();
  look();
  window.addEventListener("focus", look);
  window.addEventListener("blur", leave);
  return () => {
    leave();
    window.removeEventListener("focus", look);
    window.removeEventListener("blur", leave);
  };
}

async function isLookedAt(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === LOOKED_AT);
}

/** Calls about a thing, where nobody looks and no other tab calls about it. Returns what ends the call, if there is one. */
export async function callOnce(name: string, call: () => () => void): Promise<(() => void) | null> {
  if (await isLookedAt()) return null;
  if (!locks) return call();
  return new Promise((resolve) => {
    void hold(`jangdan.calls/${name}`, "exclusive", (free) => {
      const end = call();
      resolve(() => {
        end();
        free();
      });
    }).then(() => resolve(null));
  });
}

/** Holds a lock until it is freed, where it can be had at once. */
async function hold(name: string, mode: LockMode, held: (free: () => void) => void): Promise<void> {
  await locks?.request(name, { mode, ifAvailable: true }, (lock) => {
    if (lock) return new Promise<void>((resolve) => held(resolve));
  });
}
