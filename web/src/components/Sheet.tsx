import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isInToast } from "./toasts";

type Props = { title: string; onClose: () => void; children: ReactNode; titleHidden?: boolean };

/** A modal dialog in the middle of the page. */
export function Sheet({ title, onClose, children, titleHidden = false }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open onOpenChange={(open, { event }) => !open && !isInToast(event.target) && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <Dialog.Popup
          data-sheet
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 z-50 max-h-[76vh] w-[min(560px,calc(100vw-24px))] overflow-y-auto rounded-2xl border border-line bg-panel text-ink shadow-2xl outline-none"
        >
          <div className={titleHidden ? "sr-only" : "flex items-center justify-between py-3 pr-3 pl-5"}>
            <Dialog.Title className="font-semibold text-lg">{title}</Dialog.Title>
            <Dialog.Close
              aria-label={t("action.close")}
              className="grid size-8 place-items-center rounded-lg text-soft hover:bg-page"
            >
              <X size={16} />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
