import { Link } from "@tanstack/react-router";
import { ArrowLeft, Link as LinkIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow } from "~/api/hooks";
import { Button, IconButton } from "~/components/Button";
import { InboxForm, useEntryKindName } from "~/components/inbox/InboxForm";
import { ItemLayoutProvider } from "~/components/inbox/ItemFrame";
import { Markdown } from "~/components/Markdown";
import { useOpenTask } from "~/components/navigation";
import { TimeAgo } from "~/components/Time";
import { toast } from "~/components/toasts";
import { EntryFacts } from "./EntryFacts";
import { useEntryIcon, useEntryText } from "./useEntryText";

type Props = { entry: InboxEntry; showsRun: boolean };

/** One item that needs the user: its whole text, which scrolls, and below it the answers, which do not. */
export function EntryPane({ entry, showsRun }: Props) {
  const { t } = useTranslation();
  const { heading, rest } = useEntryText(entry);
  const layout = ({ details, answer }: { details: ReactNode; answer: ReactNode }) => (
    <>
      <section
        tabIndex={0}
        aria-label={t("needsYou.item")}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3 outline-offset-[-2px] md:px-6"
      >
        <div className="grid @3xl:grid-cols-[minmax(0,660px)_minmax(180px,240px)] gap-x-8 gap-y-4">
          <div dir="auto" className="flex min-w-0 flex-col gap-3 text-[14px] leading-relaxed">
            <h2 className="whitespace-pre-wrap font-semibold text-[19px] leading-snug max-md:text-[17px]">
              {heading}
            </h2>
            {rest && <Markdown text={rest} />}
            {entry.item.type === "gate" && (
              <Link
                to="/runs/$run/$place"
                params={{ run: entry.run, place: "review" }}
                search={{ phase: entry.item.id }}
                className="w-fit rounded text-accent hover:underline max-md:min-h-11"
              >
                {t("gate.openReview")}
              </Link>
            )}
            {details}
          </div>
          <EntryFacts entry={entry} />
        </div>
      </section>
      {answer && (
        <div className="mx-3 mb-3 flex max-h-[58%] shrink-0 flex-col gap-2 overflow-y-auto rounded-xl border border-ask-line bg-ask-soft p-3 md:mx-4 [&_[data-options]]:grid">
          {answer}
        </div>
      )}
    </>
  );
  return (
    <article
      data-entry={`${entry.run}/${entry.item.id}`}
      aria-label={heading}
      className="@container flex h-full flex-col"
    >
      <EntryHeader entry={entry} showsRun={showsRun} />
      <ItemLayoutProvider value={layout}>
        <InboxForm entry={entry} />
      </ItemLayoutProvider>
    </article>
  );
}

function EntryHeader({ entry, showsRun }: Props) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const kind = useEntryKindName(entry);
  const task = useRow(entry.run, "task", entry.task);
  const runTitle = useRow(entry.run, "run", showsRun ? "run" : null)?.title;
  const Icon = useEntryIcon(entry);
  const copyLink = () =>
    navigator.clipboard.writeText(location.href).then(
      () => toast.done(t("needsYou.linkCopied")),
      (error: unknown) => toast.failed(error),
    );
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 px-4 pt-3 text-soft md:px-6">
      <IconButton label={t("action.back")} className="md:hidden" onClick={() => history.back()}>
        <ArrowLeft size={18} />
      </IconButton>
      <span className="inline-flex items-center gap-1.5 rounded-full border border-ask-line bg-ask-soft px-2 py-0.5 font-semibold text-ask">
        <Icon aria-hidden size={14} /> {kind}
      </span>
      {entry.severity && (
        <b className={entry.severity === "low" || entry.severity === "medium" ? "" : "text-fail"}>
          {t(`severity.${entry.severity}`)}
        </b>
      )}
      {entry.task ? (
        <button
          type="button"
          className="min-w-0 max-w-full truncate rounded text-left hover:text-ink hover:underline"
          onClick={() => entry.task && openTask(entry.task, undefined, entry.run)}
        >
          <code className="font-mono text-xs">{entry.task}</code> {task?.title}
        </button>
      ) : (
        <span>
          {entry.phase === null ? t("inboxItem.aboutRun") : t("inboxItem.aboutPhase", { n: entry.phase })}
        </span>
      )}
      {task?.agent && <span>· {task.agent}</span>}
      {runTitle && <span className="min-w-0 max-w-56 truncate">· {runTitle}</span>}
      <span>
        · <TimeAgo at={entry.sinceAt} />
      </span>
      <span className="ml-auto flex items-center gap-1 max-md:hidden">
        <IconButton label={t("needsYou.copyLink")} onClick={() => void copyLink()}>
          <LinkIcon size={15} />
        </IconButton>
        {entry.task && (
          <Button variant="quiet" onClick={() => entry.task && openTask(entry.task, undefined, entry.run)}>
            {t("needsYou.openTask")} <kbd aria-hidden>o</kbd>
          </Button>
        )}
      </span>
    </header>
  );
}
