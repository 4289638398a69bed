import { useState } from "react";
import { useTranslation } from "react-i18next";
import { typeLine } from "~/api/session";
import { Button } from "~/components/Button";
import { toast } from "~/components/toasts";

/** A line to an agent's input. Any script is composed in it as in every other box. */
export function Typing({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    // A line is typed once, also by whoever presses Enter twice.
    if (busy) return;
    setBusy(true);
    try {
      await typeLine(run, session, text);
      setText("");
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="flex gap-2 border-line border-t p-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <input
        aria-label={t("output.type")}
        placeholder={t("output.type")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="min-h-8 min-w-0 flex-1 rounded-lg border border-line bg-raise px-2.5 placeholder:text-faint max-md:min-h-10"
      />
      <Button type="submit" disabled={busy || text.trim() === ""}>
        {t("ask.send")}
      </Button>
    </form>
  );
}
