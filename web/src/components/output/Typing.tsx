import { useState } from "react";
import { useTranslation } from "react-i18next";
import { typeLine } from "~/api/session";
import { wish } from "~/api/wishes";
import { Button } from "~/components/Button";
import { toast } from "~/components/toasts";

/** A line to an agent's input. Any script is composed in it as in every other box. */
export function Typing({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  return <LineBox label={t("output.type")} send={(text) => typeLine(run, session, text)} />;
}

/** A message to whoever works at a task, where there is no terminal to type in. */
export function Telling({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const tell = async (text: string) => {
    await wish(run, { sendMessage: { task, text } });
    toast.done(t("output.told"));
  };
  return <LineBox label={t("output.tell")} send={tell} />;
}

function LineBox({ label, send: sendLine }: { label: string; send: (text: string) => Promise<unknown> }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    // A line is typed once, also by whoever presses Enter twice.
    if (busy) return;
    setBusy(true);
    try {
      await sendLine(text);
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
        aria-label={label}
        placeholder={label}
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
