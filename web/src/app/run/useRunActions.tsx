import { useTranslation } from "react-i18next";
import type { RunAction, RunRow } from "~/api/generated";
import type { UserAction } from "~/components/action";
import { useSendCommand } from "~/components/inbox/useSendCommand";
import { availableRunActions } from "./availableRunActions";
import { CancelRunSheet } from "./CancelRunSheet";
import { CleanSheet } from "./CleanSheet";
import { LandSheet } from "./LandSheet";

const SHEETS = { land: LandSheet, clean: CleanSheet, cancel: CancelRunSheet };

/** The actions that are available for a run. Those that take long or cannot be undone are confirmed first. */
export function useRunActions(row: RunRow | undefined): { actions: UserAction[]; busy: boolean } {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(row?.id ?? "");
  const toAction = (id: RunAction, run: RunRow): UserAction => {
    switch (id) {
      case "pause":
        return { id, name: t("action.pause"), perform: () => void send("pauseRun") };
      case "continue":
        return { id, name: t("action.continue"), perform: () => void send("continueRun") };
      case "land":
      case "clean":
      case "cancel": {
        const ActionSheet = SHEETS[id];
        return {
          id,
          name: `${t(`runAction.${id}.name`)}…`,
          isDanger: id === "cancel",
          confirm: (onClose) => <ActionSheet run={run} onClose={onClose} />,
        };
      }
    }
  };
  return { actions: row ? availableRunActions(row).map((id) => toAction(id, row)) : [], busy };
}
