/** Short words in a corner: what was done, or why not. */

import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { isOffline, Refusal } from "~/api/http";
import { IconButton } from "./Button";

type Toast = { id: number; text: string; hint: string; bad: boolean };

const SHOWN_MS = 6000;
/** More than these are not read. */
const SHOWN_MAX = 4;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function add(text: string, hint: string, bad: boolean): void {
  const id = ++last;
  show([...toasts, { id, text, hint, bad }].slice(-SHOWN_MAX));
  setTimeout(() => drop(id), bad ? SHOWN_MS * 2 : SHOWN_MS);
}

const drop = (id: number) => show(toasts.filter((toast) => toast.id !== id));

export const toast = {
  done: (text: string): void => add(text, "", false),
  failed: (error: unknown, offline: string): void => {
    if (error instanceof Refusal) add(error.message, error.hint, true);
    else add(isOffline(error) || !(error instanceof Error) ? offline : error.message, "", true);
  },
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const { t } = useTranslation();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-3 z-50 flex flex-col items-end gap-2 max-md:bottom-16"
    >
      {shown.map((toast) => (
        <div
          key={toast.id}
          role={toast.bad ? "alert" : "status"}
          className={`pointer-events-auto flex max-w-md items-start gap-2 rounded-xl border bg-raise py-2 pr-1 pl-3.5 shadow-lg ${toast.bad ? "border-fail" : "border-line"}`}
        >
          <div className="py-1">
            <p className="font-medium">{toast.text}</p>
            {toast.hint && <p className="text-soft">{toast.hint}</p>}
          </div>
          <IconButton label={t("action.close")} onClick={() => drop(toast.id)}>
            <X size={15} />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
