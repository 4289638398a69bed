import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendCommand } from "~/api/commands";
import { typeTerminalLine } from "~/api/sessions";
import { Button } from "~/components/Button";
import { toast } from "~/components/toasts";

/** Sends a line to the terminal of a session. */
export function TerminalInput({ run, session }: { run: string; session: string }) {
  const { t } = useTranslation();
  return <InputLine label={t("output.input")} send={(text) => typeTerminalLine(run, session, text)} />;
}

/** Sends a message to the agent of a task, if it has no terminal. */
export function AgentMessageInput({ run, task }: { run: string; task: string }) {
  const { t } = useTranslation();
  const send = async (text: string) => {
    await sendCommand(run, { sendMessage: { task, text } });
    toast.done(t("output.messageSent"));
  };
  return <InputLine label={t("output.message")} send={send} />;
}

function InputLine({ label, send: sendLine }: { label: string; send: (text: string) => Promise<unknown> }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    // A second press of Enter must not send the line again.
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
        {t("question.send")}
      </Button>
    </form>
  );
}
