import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./Button";
import { ProblemLine } from "./ProblemLine";
import { Sheet } from "./Sheet";

type Props = {
  title: string;
  /** What will happen, and what will not. */
  children: ReactNode;
  /** The word on the button that does it. */
  action: string;
  look?: "main" | "danger";
  /** Does it. Returns in words why it came to nothing, where no mistake was made. */
  act: () => Promise<string | null>;
  onClose: () => void;
};

/** Asks once more before something is done that can't be taken back, and says what came of it. */
export function ConfirmSheet({ title, children, action, look = "danger", act, onClose }: Props) {
  const { t } = useTranslation();
  const [held, setHeld] = useState<string | null>(null);
  const doing = useMutation({
    mutationFn: act,
    onSuccess: (why) => {
      setHeld(why);
      if (why === null) onClose();
    },
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <div className="flex flex-col gap-3 px-5 pb-5">
        <div className="flex flex-col gap-2 text-soft">{children}</div>
        <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
          {held && !doing.isPending && <p className="text-ask">{held}</p>}
          {doing.error && <ProblemLine error={doing.error} />}
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("action.back")}</Button>
          <Button
            look={look}
            disabled={doing.isPending}
            aria-busy={doing.isPending}
            onClick={() => doing.mutate()}
          >
            {doing.isPending ? t("action.doing") : action}
          </Button>
        </div>
      </div>
    </Sheet>
  );
}
