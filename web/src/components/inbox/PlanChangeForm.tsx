import { useTranslation } from "react-i18next";
import type { InboxAction } from "~/api/generated";
import { Button } from "~/components/Button";
import { ItemFrame } from "./ItemFrame";
import { useSendCommand } from "./useSendCommand";

type Props = { run: string; offer: string; actions: readonly InboxAction[] };

/** A plan file that changed during the run: apply the changes, or ignore them. */
export function PlanChangeForm({ run, offer, actions }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const answer = (
    <div data-plan={offer} className="flex flex-wrap gap-1.5">
      {actions.includes("applyPlanChange") && (
        <Button
          variant="ask"
          className="border-ask"
          disabled={busy}
          data-option={1}
          onClick={() => void send({ applyPlanChange: { offer } }, t("planChange.applied"))}
        >
          <kbd aria-hidden className="text-ask">
            1
          </kbd>
          {t("planChange.apply")}
        </Button>
      )}
      {actions.includes("ignorePlanChange") && (
        <Button
          variant="ask"
          disabled={busy}
          data-option={2}
          onClick={() => void send({ ignorePlanChange: { offer } }, t("planChange.ignored"))}
        >
          <kbd aria-hidden className="text-ask">
            2
          </kbd>
          {t("planChange.ignore")}
        </Button>
      )}
    </div>
  );
  return <ItemFrame details={null} answer={answer} />;
}
