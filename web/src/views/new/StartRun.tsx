import { useTranslation } from "react-i18next";
import { Button } from "~/components/Button";
import { toast } from "~/components/toasts";

/** How a plan that is whole becomes a run: in the folder of the project, where its team is configured. */
export function StartRun({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation();
  const command = `jangdan run ${/^[\w.-]+$/.test(name) ? name : "TASKS.md"}`;
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    Object.assign(document.createElement("a"), { href: url, download: name }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <section className="flex flex-wrap items-center gap-3 rounded-xl border border-line bg-panel px-4 py-3">
      <p className="min-w-60 flex-1">{t("new.start")}</p>
      <code className="rounded-lg bg-page px-2.5 py-1.5 font-mono">{command}</code>
      <Button
        onClick={() => void navigator.clipboard.writeText(command).then(() => toast.done(t("new.copied")))}
      >
        {t("new.copy")}
      </Button>
      <Button onClick={save}>{t("new.save")}</Button>
    </section>
  );
}
