import { type FormEvent, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { InboxAction, ProvidedResource, RequestRow, UserCommand } from "~/api/generated";
import { Button } from "~/components/Button";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { toast } from "~/components/toasts";
import { useDraft } from "./drafts";
import { ItemFrame } from "./ItemFrame";
import { useSendCommand } from "./useSendCommand";

// Loaded on demand, because it needs the dialog code.
const RefuseRequestSheet = lazyWithRetry(() => import("./RefuseRequestSheet"));

type Props = { run: string; request: RequestRow; actions: readonly InboxAction[] };

/** A request of an agent, e.g. for an API key or a file. Values are masked, sent once, and not kept by the page. */
export function RequestForm({ run, request, actions }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const [text, setText] = useDraft(run, "request", request.id);
  const [isRefusing, setIsRefusing] = useState(false);
  // Not a draft: drafts survive a reload.
  const [values, setValues] = useState<Record<string, string>>({});
  const [isNotSecret, setIsNotSecret] = useState(false);
  const settle = async (command: UserCommand, done: string) => {
    const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const provided = { values: entered, ...(isNotSecret && { notSecret: Object.keys(entered) }) };
    const isSent = await send(command, done, "provide" in Object(command) ? provided : undefined);
    if (isSent) {
      setText("");
      setValues({});
    }
  };
  const provide = (provided: ProvidedResource) =>
    settle({ provide: { request: request.id, provided } }, t("request.provided"));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void provide(toProvidedResource(request, text.trim()));
  };
  const isPermission = request.type === "permission";
  const needsText = request.type === "file" || request.type === "package" || request.type === "service";
  const provided = toProvidedResource(request, text.trim());
  const names = provided.type === "environment" ? provided.names : [];
  const isShort = names.some((name) => isTooShortToMask(values[name]));
  const details = (
    <>
      {!isPermission && (
        <p className="text-soft text-xs">{t(`requestHelp.${request.type}`, { name: request.name })}</p>
      )}
      {request.failure && (
        <p role="alert" className="text-fail text-xs">
          {t("request.failed", { reason: request.failure })}
        </p>
      )}
    </>
  );
  const answer = (
    <>
      {needsText && (
        <input
          data-answer
          aria-label={t(`requestHelp.${request.type}`, { name: request.name })}
          placeholder={request.type === "file" ? "config/app.toml" : request.name}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="min-h-8 rounded-lg border border-ask-line bg-panel px-2.5 py-1.5 font-mono max-md:min-h-11 max-md:text-base"
        />
      )}
      {names.map((name) => (
        <input
          key={name}
          type={isNotSecret ? "text" : "password"}
          autoComplete="off"
          aria-label={t("request.value", { name })}
          placeholder={t("request.value", { name })}
          value={values[name] ?? ""}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          className="min-h-8 rounded-lg border border-ask-line bg-panel px-2.5 py-1.5 font-mono max-md:min-h-11 max-md:text-base"
        />
      ))}
      {request.type === "env_variable" && (
        <label className="flex items-center gap-2 text-soft text-xs max-md:min-h-11">
          <input
            type="checkbox"
            checked={isNotSecret}
            onChange={(event) => setIsNotSecret(event.target.checked)}
          />
          {t("request.notSecret")}
        </label>
      )}
      {isShort && !isNotSecret && <p className="text-soft text-xs">{t("request.shortValue")}</p>}
      <div className="flex flex-wrap gap-1.5">
        {actions.includes("provide") && (
          <Button variant="ask" type="submit" disabled={busy} data-option={1}>
            <kbd aria-hidden className="text-ask">
              1
            </kbd>
            {t(isPermission ? "request.allow" : "request.provide")}
          </Button>
        )}
        {actions.includes("skip") && (
          <Button
            variant="ask"
            disabled={busy}
            onClick={() => void settle({ skipRequest: request.id }, t("request.skipped"))}
          >
            {request.default ? t("request.skipDefault", { default: request.default }) : t("request.skip")}
          </Button>
        )}
        {actions.includes("refuse") && (
          <Button variant="ask" disabled={busy} data-option={2} onClick={() => setIsRefusing(true)}>
            <kbd aria-hidden className="text-ask">
              2
            </kbd>
            {t("request.refuse")}…
          </Button>
        )}
      </div>
    </>
  );
  return (
    <form data-request={request.id} className="contents" onSubmit={submit}>
      <ItemFrame details={details} answer={answer} />
      {isRefusing && (
        <ErrorBoundary
          fallback={() => null}
          onFailed={({ error }) => {
            toast.failed(error);
            setIsRefusing(false);
          }}
        >
          <Suspense>
            <RefuseRequestSheet run={run} request={request} onClose={() => setIsRefusing(false)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </form>
  );
}

/** Whether a value is stored but not masked in output: masking `3000` would destroy ordinary text. */
export function isTooShortToMask(value: string | undefined): boolean {
  return value !== undefined && value !== "" && new TextEncoder().encode(value).length < 8;
}

/** What the person provides, by the kind of request. */
export function toProvidedResource(
  request: Pick<RequestRow, "type" | "name">,
  text: string,
): ProvidedResource {
  switch (request.type) {
    case "permission":
      return { type: "permission", granted: true };
    case "file":
      return { type: "file", path: text || request.name, secret: false };
    case "package":
      return { type: "package", name: text || request.name };
    case "service":
    case "api_key":
    case "env_variable":
      return { type: "environment", names: (text || request.name).split(/[\s,]+/).filter(Boolean) };
  }
}
