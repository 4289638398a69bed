import { Panel } from "@xyflow/react";
import { useTranslation } from "react-i18next";
import { type DisplayState, STATE_STYLES, TEXT_COLORS } from "~/components/state";

const STATES: readonly DisplayState[] = ["done", "running", "needsAnswer", "checking", "ready", "waiting"];

/** The meaning of icons and colors. */
export function Legend() {
  const { t } = useTranslation();
  return (
    <Panel
      position="bottom-left"
      className="ml-34! hidden gap-3 whitespace-nowrap rounded-lg bg-panel/90 px-2.5 py-1 text-soft text-xs @min-[1000px]:flex"
    >
      {STATES.map((state) => {
        const { tone, icon: Icon } = STATE_STYLES[state];
        return (
          <span key={state} className="flex items-center gap-1">
            <Icon aria-hidden size={12} strokeWidth={2.4} className={TEXT_COLORS[tone]} />
            {t(`state.${state}`)}
          </span>
        );
      })}
      <span className="flex items-center gap-1">
        <i aria-hidden className="inline-block h-0.5 w-4 bg-ink" />
        {t("schedule.critical")}
      </span>
    </Panel>
  );
}
