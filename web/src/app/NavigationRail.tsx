import { Link } from "@tanstack/react-router";
import { CircleQuestionMark, Inbox, ListTree, type LucideIcon, Plus, Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInbox } from "~/api/hooks";
import { SettingsButton } from "./SettingsButton";

type Props = { onPalette: () => void; onHelp: () => void };

const ITEM =
  "relative grid size-10 place-items-center rounded-xl hover:text-white max-md:size-12 [&.active]:bg-white/15 [&.active]:text-white focus-visible:outline-white";

/** Main navigation: a rail at the side, a bar at the bottom on a phone. */
export function NavigationRail({ onPalette, onHelp }: Props) {
  const { t } = useTranslation();
  const n = useInbox().data?.length ?? 0;
  return (
    <nav
      aria-label={t("nav.main")}
      className="flex shrink-0 items-center gap-1 bg-rail text-rail-ink md:w-13 md:flex-col md:py-3 max-md:justify-around max-md:pb-[env(safe-area-inset-bottom)]"
    >
      <span aria-hidden className="mb-2 font-extrabold text-[17px] text-white max-md:hidden">
        장
      </span>
      <Link to="/needs-you" className={ITEM} title={t("place.needs-you")}>
        <Inbox aria-hidden size={18} />
        <span className="sr-only">{n > 0 ? t("nav.needsYouCount", { count: n }) : t("place.needs-you")}</span>
        {n > 0 && (
          <b
            aria-hidden
            className="absolute top-0.5 right-0.5 rounded-full bg-[#f0b34c] px-1 text-[#241900] text-[10px] leading-[15px]"
          >
            {n}
          </b>
        )}
      </Link>
      <Link to="/runs" className={ITEM} title={t("nav.runs")}>
        <ListTree aria-hidden size={18} />
        <span className="sr-only">{t("nav.runs")}</span>
      </Link>
      <Link to="/new" className={ITEM} title={t("nav.new")}>
        <Plus aria-hidden size={19} />
        <span className="sr-only">{t("nav.new")}</span>
      </Link>
      <div className="max-md:hidden md:mt-auto" />
      <RailButton icon={Search} label={t("nav.palette")} onClick={onPalette} />
      <span className="max-md:hidden">
        <RailButton icon={CircleQuestionMark} label={t("nav.shortcuts")} onClick={onHelp} />
      </span>
      <SettingsButton className={ITEM} />
    </nav>
  );
}

function RailButton({
  icon: Icon,
  label,
  onClick,
}: {
  icon: LucideIcon;
  label: string;
  onClick: () => void;
}) {
  return (
    <button type="button" className={ITEM} title={label} aria-label={label} onClick={onClick}>
      <Icon aria-hidden size={18} />
    </button>
  );
}
