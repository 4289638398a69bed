import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import type { Action } from "~/components/action";
import { useAct } from "~/components/ask/useAct";
import { RunSheet } from "./RunSheet";
import { type RunAct, toRunActs } from "./toRunActs";

/** What can be done with a run now. What takes long or can't be taken back says first what will happen. */
export function useRunActions(row: RunRow | undefined): { actions: Action[]; busy: boolean } {
  const { t } = useTranslation();
  const { act, busy } = useAct(row?.id ?? "");
  const toAction = (id: RunAct, run: RunRow): Action => {
    switch (id) {
      case "pause":
        return { id, name: t("action.pause"), act: () => void act("pauseRun") };
      case "continue":
        return { id, name: t("action.continue"), act: () => void act("continueRun") };
      case "land":
      case "clean":
      case "cancel":
        return {
          id,
          name: `${t(`runAct.${id}.name`)}…`,
          isDanger: id === "cancel",
          ask: (onClose) => <RunSheet run={run} act={id} onClose={onClose} />,
        };
    }
  };
  return { actions: row ? toRunActs(row).map((act) => toAction(act, row)) : [], busy };
}
