import { useTranslation } from "react-i18next";
import { Button } from "~/components/Button";
import { useAct } from "./useAct";

/** A plan file that changed while it is run: let that hold, or let the plan stay as it is. */
export function PlanForm({ run, offer }: { run: string; offer: string }) {
  const { t } = useTranslation();
  const { act, busy } = useAct(run);
  return (
    <div data-plan={offer} className="flex flex-wrap gap-1.5">
      <Button
        look="ask"
        className="border-ask"
        disabled={busy}
        data-option={1}
        onClick={() => void act({ applyPlanChange: { offer } }, t("plan.taken"))}
      >
        <kbd aria-hidden className="text-ask">
          1
        </kbd>
        {t("plan.take")}
      </Button>
      <Button
        look="ask"
        disabled={busy}
        data-option={2}
        onClick={() => void act({ ignorePlanChange: { offer } }, t("plan.left"))}
      >
        <kbd aria-hidden className="text-ask">
          2
        </kbd>
        {t("plan.leave")}
      </Button>
    </div>
  );
}
