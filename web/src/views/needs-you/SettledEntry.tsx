import { useNavigate } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useRow } from "~/api/hooks";
import { personNameOfActor } from "~/components/actor";
import { Button } from "~/components/Button";
import { CommandSource } from "~/components/CommandSource";
import { useLocalizedText } from "~/components/localizedText";
import { Notice } from "~/components/Notice";
import { ClockTime } from "~/components/Time";

/** Shown for an address of an item that no longer needs the user: what it was, and for a question who answered. */
export function SettledEntry({ run, item }: { run: string | undefined; item: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const localize = useLocalizedText();
  const [kind, id] = item.split(".").slice(run === undefined ? 1 : 0);
  const ofRun = run ?? item.split(".", 1)[0] ?? "";
  const question = useRow(ofRun, "question", kind === "question" ? id : null);
  const by = personNameOfActor(question?.answeredBy ?? null);
  return (
    <div className="min-w-0 flex-1">
      <Notice title={t("needsYou.settled")} icon={<CircleCheck aria-hidden size={22} />}>
        {question && <p>{localize(question)}</p>}
        {question?.answer != null && (
          <p>
            {by && `${by}: `}
            <b className="text-ink">{question.answer}</b>
            {question.answeredAt !== null && (
              <>
                {" · "}
                <ClockTime at={question.answeredAt} />
                <CommandSource origin={question.origin} />
              </>
            )}
          </p>
        )}
        <Button
          onClick={() =>
            void navigate({ to: ".", search: ({ item: _item, ...search }) => search, replace: true })
          }
        >
          {t("needsYou.showOthers")}
        </Button>
      </Notice>
    </div>
  );
}
