/** Short messages in a corner: what was done, or why it failed. */

import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { IconButton } from "./Button";
import { useErrorText } from "./errorText";

type Toast = { id: number } & ({ done: string } | { error: unknown });

const SHOWN_MS = 6000;
const SHOWN_MAX = 4;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function addToast(content: { done: string } | { error: unknown }): void {
  const id = ++last;
  setToasts([...toasts, { id, ...content }].slice(-SHOWN_MAX));
  setTimeout(() => removeToast(id), "error" in content ? SHOWN_MS * 2 : SHOWN_MS);
}

const removeToast = (id: number) => setToasts(toasts.filter((toast) => toast.id !== id));

export const toast = {
  done: (text: string): void => addToast({ done: text }),
  failed: (error: unknown): void => addToast({ error }),
};

/** Whether an event happened in a toast. Toasts are above every dialog and belong to none. */
export function isInToast(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[data-toasts]") !== null;
}

function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribeToToasts, () => toasts);
  // Outside of the page's root element, which is below every dialog.
  return createPortal(
    <div
      data-toasts
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-3 z-60 flex flex-col items-end gap-2 max-md:bottom-16"
    >
      {shown.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>,
    document.body,
  );
}

function ToastLine({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isError = "error" in toast;
  const { title, details } = isError ? errorText(toast.error) : { title: toast.done, details: [] };
  return (
    <div
      role={isError ? "alert" : "status"}
      className={`pointer-events-auto flex max-w-md items-start gap-2 rounded-xl border bg-raise py-2 pr-1 pl-3.5 text-ink shadow-lg ${isError ? "border-fail" : "border-line"}`}
    >
      <div className="py-1">
        <p className="font-medium">{title}</p>
        {details.map((line) => (
          <p key={line} className="text-soft">
            {line}
          </p>
        ))}
      </div>
      <IconButton label={t("action.close")} onClick={() => removeToast(toast.id)}>
        <X size={15} />
      </IconButton>
    </div>
  );
}
