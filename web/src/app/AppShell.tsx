import { Outlet, useLocation } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useConnectionState, useLoadedRuns } from "~/api/hooks";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { useShortcuts } from "~/components/shortcuts";
import { Toasts, toast } from "~/components/toasts";
import { ConnectionBanner } from "./ConnectionBanner";
import { NavigationRail } from "./NavigationRail";
import { SignedOut } from "./SignedOut";
import { useDocumentTitle } from "./useDocumentTitle";
import { useInboxNotifications } from "./useInboxNotifications";

const CommandPalette = lazyWithRetry(() => import("./CommandPalette"));
const KeyboardHelp = lazyWithRetry(() => import("./KeyboardHelp"));

type OpenOverlay = "palette" | "help" | null;

/** The frame around every page: navigation, connection banner, palette and toasts. */
export function AppShell() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<OpenOverlay>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const connection = useConnectionState();
  // A page that has data keeps it: only the banner says that it gets no more.
  const isLockedOut = useLoadedRuns().data === undefined && connection.type === "signedOut";
  useDocumentTitle();
  useInboxNotifications();
  useShortcuts({
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
      <NavigationRail onPalette={() => setOpen("palette")} onHelp={() => setOpen("help")} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {!isLockedOut && <ConnectionBanner />}
        <ErrorBoundary of={path}>
          <Suspense fallback={<Loading />}>{isLockedOut ? <SignedOut /> : <Outlet />}</Suspense>
        </ErrorBoundary>
      </div>
      <ErrorBoundary
        of={open}
        fallback={() => null}
        onFailed={({ error }) => {
          toast.failed(error);
          setOpen(null);
        }}
      >
        <Suspense>
          {open === "palette" && (
            <CommandPalette onClose={() => setOpen(null)} onHelp={() => setOpen("help")} />
          )}
          {open === "help" && <KeyboardHelp onClose={() => setOpen(null)} />}
        </Suspense>
      </ErrorBoundary>
      <Toasts />
    </div>
  );
}
