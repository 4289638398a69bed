import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { isInToast } from "./toasts";

type Props = { id: string; title: ReactNode; beside: ReactNode; onClose: () => void; children: ReactNode };

/** A large dialog over the current view; `beside` is shown next to the title. */
export function PanelDialog({ id, title, beside, onClose, children }: Props) {
  const { t } = useTranslation();
  const popup = useRef<HTMLDivElement>(null);
  const isOpening = useIsJustOpened();
  return (
    <Dialog.Root
      open
      onOpenChange={(open, { event, reason }) => {
        if (open || isInToast(event.target) || (reason === "outside-press" && isOpening())) return;
        onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Dialog.Popup
          ref={popup}
          onClickCapture={(event) => event.detail > 1 && isOpening() && suppressEvent(event)}
          onKeyDownCapture={(event) =>
            (event.repeat || isOpening()) &&
            /^(Enter| )$/.test(event.key) &&
            isButton(event) &&
            suppressEvent(event)
          }
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>("[data-option], [data-answer]") ?? popup.current
          }
          className="fixed inset-0 z-30 m-auto flex h-full max-h-[min(860px,94dvh)] w-full max-w-[min(1160px,96vw)] flex-col overflow-hidden rounded-2xl border border-line bg-panel text-ink shadow-2xl outline-none max-md:max-h-dvh max-md:max-w-none max-md:rounded-none max-md:border-0"
        >
          <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b px-4 py-2.5 md:px-5">
            <code className="font-mono font-semibold text-soft">{id}</code>
            <Dialog.Title className="min-w-0 flex-1 truncate font-semibold text-[16px] max-md:min-w-[55%]">
              {title}
            </Dialog.Title>
            <Dialog.Close
              aria-label={t("action.close")}
              className="grid size-8 shrink-0 place-items-center rounded-lg text-soft hover:bg-page md:order-last max-md:size-10"
            >
              <X size={17} />
            </Dialog.Close>
            {beside}
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** For this long after a panel has opened, a click or a key may still belong to the one that opened it. */
const OPENING_MS = 500;

/** Prevents that a triple click, or a key that is held or pressed twice, activates a button in the panel that it opened. */
function useIsJustOpened(): () => boolean {
  const openedAt = useRef(0);
  useEffect(() => {
    openedAt.current = performance.now();
  }, []);
  return () => performance.now() - openedAt.current < OPENING_MS;
}

const isButton = ({ target }: SyntheticEvent) => target instanceof HTMLButtonElement;

function suppressEvent(event: SyntheticEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
