import { Outlet, useLocation } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Boundary } from "~/components/Boundary";
import { useKeys } from "~/components/keys";
import { lazily } from "~/components/lazily";
import { Toasts, toast } from "~/components/toasts";
import { Connection } from "./Connection";
import { Rail } from "./Rail";
import { useCalls } from "./useCalls";
import { useTitle } from "./useTitle";

const Palette = lazily(() => import("./Palette"));
const KeyboardHelp = lazily(() => import("./KeyboardHelp"));

type Open = "palette" | "help" | null;

/** What is around every view: the rail, the sign of the connection, the palette, the toasts. */
export function Shell() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useTitle();
  useCalls();
  useKeys({
    "mod+k": () => setOpen("palette"),
    "/": () => setOpen("palette"),
    "?": () => setOpen("help"),
  });
  return (
    <div className="flex h-full max-md:flex-col-reverse">
      <a
        href="#main"
        className="sr-only z-50 rounded bg-accent p-2 text-accent-ink focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t("nav.skip")}
      </a>
      <Rail onPalette={() => setOpen("palette")} onHelp={() => setOpen("help")} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Connection />
        <Boundary of={path}>
          <Suspense>
            <Outlet />
          </Suspense>
        </Boundary>
      </div>
      <Boundary
        of={open}
        instead={() => null}
        onFailed={({ error }) => {
          toast.failed(error);
          setOpen(null);
        }}
      >
        <Suspense>
          {open === "palette" && <Palette onClose={() => setOpen(null)} onHelp={() => setOpen("help")} />}
          {open === "help" && <KeyboardHelp onClose={() => setOpen(null)} />}
        </Suspense>
      </Boundary>
      <Toasts />
    </div>
  );
}
