/**
 * One notification for each inbox entry from all tabs together, and none while any tab has the focus.
 *
 * Tabs coordinate by Web Locks, which the browser releases however a tab ends: a focused tab holds a shared lock, and the
 * tab that notifies holds an exclusive one for as long as the entry is open.
 */

const FOCUSED_LOCK = "jangdan.focused";

/** Without locks every tab notifies; the browser merges notifications with the same tag. */
const locks: Pick<LockManager, "request" | "query"> | undefined = globalThis.navigator?.locks;

/** Tells other tabs whether this one has the focus. Returns what stops that. */
export function shareFocusWithTabs(): () => void {
  let release = () => {};
  const acquire = () => {
    if (!document.hasFocus()) return;
    void holdLock(FOCUSED_LOCK, "shared", (free) => {
      release();
      release = free;
      // The focus may have gone before the lock was granted.
      if (!document.hasFocus()) free();
    });
  };
  const free = () => release();
  acquire();
  window.addEventListener("focus", acquire);
  window.addEventListener("blur", free);
  return () => {
    free();
    window.removeEventListener("focus", acquire);
    window.removeEventListener("blur", free);
  };
}

async function isAnyTabFocused(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === FOCUSED_LOCK);
}

/**
 * Notifies unless a tab has the focus or another tab notifies about the same entry. `show` shows the notification and
 * returns what closes it; so does this, or `null` if nothing is shown.
 */
export async function notifyOnce(name: string, show: () => () => void): Promise<(() => void) | null> {
  if (await isAnyTabFocused()) return null;
  if (!locks) return show();
  return new Promise((resolve) => {
    void holdLock(`jangdan.notified/${name}`, "exclusive", (free) => {
      const close = show();
      resolve(() => {
        close();
        free();
      });
    }).then(() => resolve(null));
  });
}

/** Holds a lock until it is freed, if it is available now. */
async function holdLock(name: string, mode: LockMode, held: (free: () => void) => void): Promise<void> {
  await locks?.request(name, { mode, ifAvailable: true }, (lock) => {
    if (lock) return new Promise<void>((resolve) => held(resolve));
  });
}
