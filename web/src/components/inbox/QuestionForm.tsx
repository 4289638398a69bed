import type { TFunction } from "i18next";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { InboxAction, PermissionScope, QuestionRow } from "~/api/generated";
import { Button } from "~/components/Button";
import { Markdown } from "~/components/Markdown";
import { useDraft } from "./drafts";
import { ItemFrame } from "./ItemFrame";
import {
  initialPermissionDraft,
  type PermissionDraft,
  similarScope,
  toPermissionAnswer,
} from "./toPermissionAnswer";
import { useSendCommand } from "./useSendCommand";

type Props = {
  run: string;
  question: QuestionRow;
  actions: readonly InboxAction[];
  /** Other tasks with an equal permission request, which the same answer decides. */
  equalTasks?: readonly string[];
};
const PERMISSION_SCOPES: readonly PermissionScope[] = ["once", "task", "run", "project"];

/** A question with its options and a text field. The keys 1 to 9 press the options. */
export function QuestionForm({ run, question, actions, equalTasks = [] }: Props) {
  const { t } = useTranslation();
  const { send, busy } = useSendCommand(run);
  const [edited, setEdited] = useState<Partial<PermissionDraft>>({});
  const draft = { ...initialPermissionDraft(question), ...edited };
  const isPermission = question.kind === "permission";
  const canAnswer = actions.includes("answer");
  const answer = (text: string) =>
    send(
      isPermission
        ? toPermissionAnswer(question, text, draft, false)
        : { answer: { question: question.id, answer: text } },
      t("question.answered"),
    );
  const allowSimilar = () => send(toPermissionAnswer(question, "allow", draft, true), t("question.answered"));
  const details = (
    <>
      {question.permission && (
        <pre className="overflow-x-auto whitespace-pre-wrap rounded-lg border border-line bg-panel px-2.5 py-1.5 font-mono text-xs">
          {t(`permission.${question.permission.kind}`)}: {question.permission.subject}
        </pre>
      )}
      {equalTasks.length > 0 && (
        <p className="text-soft">{t("permission.equalTasks", { tasks: equalTasks.join(", ") })}</p>
      )}
      {question.similar?.isSuggested && (
        <p className="text-soft">{t("permission.allowedOften", { n: question.similar.nAllowed })}</p>
      )}
      {question.context && (
        <div className="text-soft">
          <Markdown text={question.context} />
        </div>
      )}
      {question.clarifications.map(({ text, askedAt }) => (
        <p key={askedAt} className="border-ask-line border-l-2 pl-2 text-soft">
          {t("question.yourReply")} {text}
        </p>
      ))}
    </>
  );
  const answerFields = (
    <>
      <OptionButtons
        options={canAnswer ? toOptions(question, t) : []}
        selected={question.default}
        isDisabled={busy}
        onChoose={(option) => void answer(option)}
      />
      {isPermission && (
        <PermissionScopeChoice scope={draft.scope} onScope={(scope) => setEdited({ ...edited, scope })} />
      )}
      {isPermission && canAnswer && (
        <SimilarPermissionFields
          draft={draft}
          busy={busy}
          onChange={(change) => setEdited({ ...edited, ...change })}
          onAllow={() => void allowSimilar()}
        />
      )}
      <TextAnswerForm
        run={run}
        question={question}
        busy={busy}
        answer={canAnswer && !isPermission ? answer : null}
        canReply={actions.includes("requestClarification")}
      />
    </>
  );
  return (
    <div data-question={question.id} className="contents">
      <ItemFrame details={details} answer={answerFields} />
    </div>
  );
}

type Option = { value: string; label: string };

/** The options of a question with their labels. A confirmation without options has Yes and No. */
function toOptions(
  { kind, options, largeFiles }: Pick<QuestionRow, "kind" | "options" | "largeFiles">,
  t: TFunction,
): Option[] {
  if (kind === "confirmation" && options.length === 0)
    return [t("question.yes"), t("question.no")].map((label) => ({ value: label.toLowerCase(), label }));
  const label = (option: string) => {
    if (kind === "permission") return t(`permission.${option}`, { defaultValue: option });
    if (largeFiles.length > 0) return t(option === "commit" ? "largeFiles.commit" : "largeFiles.leaveOut");
    return option;
  };
  return options.map((value) => ({ value, label: label(value) }));
}

type OptionButtonsProps = {
  options: readonly Option[];
  /** The default answer. */
  selected: string | null;
  isDisabled: boolean;
  onChoose: (value: string) => void;
};

function OptionButtons({ options, selected, isDisabled, onChoose }: OptionButtonsProps) {
  const { t } = useTranslation();
  if (options.length === 0) return null;
  return (
    <div data-options className="flex flex-wrap gap-1.5">
      {options.map(({ value, label }, index) => {
        const isDefault = value === selected;
        return (
          <Button
            key={value}
            variant="ask"
            disabled={isDisabled}
            data-option={index + 1}
            className={isDefault ? "border-ask" : ""}
            onClick={() => onChoose(value)}
          >
            {index < 9 && (
              <kbd aria-hidden className="text-ask">
                {index + 1}
              </kbd>
            )}
            <span dir="auto">{label}</span>
            {isDefault && <span className="font-normal text-soft text-xs">{t("question.default")}</span>}
          </Button>
        );
      })}
    </div>
  );
}

type TextAnswerFormProps = {
  run: string;
  question: QuestionRow;
  busy: boolean;
  /** `null` if the text cannot be an answer: a permission accepts only its options. */
  answer: ((text: string) => Promise<boolean>) | null;
  canReply: boolean;
};

function TextAnswerForm({ run, question, busy, answer, canReply }: TextAnswerFormProps) {
  const { t } = useTranslation();
  const { send, busy: isSending } = useSendCommand(run);
  const isBusy = busy || isSending;
  const id = useId();
  const [text, setText] = useDraft(run, "question", question.id);
  const isEmpty = text.trim() === "";
  const submit = async (submitText: (text: string) => Promise<boolean>) => {
    if (!isEmpty && !isBusy && (await submitText(text.trim()))) setText("");
  };
  const requestClarification = (text: string) =>
    send({ requestClarification: { question: question.id, text } }, t("question.replied"));
  const label = answer === null ? t("question.writeReply") : t("question.write");
  const placeholder =
    answer !== null && question.default && question.options.length === 0
      ? t("question.writeOrDefault", { default: question.default })
      : label;
  return (
    <form
      className="flex flex-wrap items-end gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (answer) void submit(answer);
      }}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <textarea
        id={id}
        data-answer
        rows={1}
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (answer) void submit(answer);
        }}
        className="field-sizing-content max-h-40 min-h-8 min-w-32 flex-1 resize-none rounded-lg border border-ask-line bg-panel px-2.5 py-1.5 placeholder:text-faint max-md:min-h-10 max-md:text-base"
      />
      {answer === null ? null : question.default !== null && question.options.length === 0 && isEmpty ? (
        <Button variant="ask" disabled={isBusy} onClick={() => void answer(question.default ?? "")}>
          {t("question.useDefault", { default: question.default })}
        </Button>
      ) : (
        <Button variant="ask" type="submit" disabled={isBusy || isEmpty}>
          {t("question.send")}
        </Button>
      )}
      {canReply && (
        <Button
          variant="ask"
          disabled={isBusy || isEmpty}
          onClick={() => void submit(requestClarification)}
          title={t("question.replyHint")}
        >
          {t("question.reply")}
        </Button>
      )}
    </form>
  );
}

function PermissionScopeChoice({
  scope,
  onScope,
}: {
  scope: PermissionScope;
  onScope: (scope: PermissionScope) => void;
}) {
  const { t } = useTranslation();
  const name = useId();
  return (
    <fieldset className="flex flex-wrap gap-x-3 gap-y-1 text-soft text-xs">
      <legend className="sr-only">{t("question.scope")}</legend>
      {PERMISSION_SCOPES.map((choice) => (
        <label key={choice} className="flex items-center gap-1">
          <input type="radio" name={name} checked={scope === choice} onChange={() => onScope(choice)} />
          {t(`permissionScope.${choice}`)}
        </label>
      ))}
    </fieldset>
  );
}

type SimilarPermissionFieldsProps = {
  draft: PermissionDraft;
  busy: boolean;
  onChange: (change: Partial<PermissionDraft>) => void;
  onAllow: () => void;
};

/** The pattern with which similar requests are allowed, and the reason of a denial. */
function SimilarPermissionFields({ draft, busy, onChange, onAllow }: SimilarPermissionFieldsProps) {
  const { t } = useTranslation();
  const id = useId();
  const { scope, pattern, reason } = draft;
  const field =
    "min-h-8 min-w-32 flex-1 rounded-lg border border-ask-line bg-panel px-2.5 py-1 text-xs placeholder:text-faint max-md:min-h-10 max-md:text-base";
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <label htmlFor={`${id}-pattern`} className="sr-only">
        {t("permission.pattern")}
      </label>
      <input
        id={`${id}-pattern`}
        data-pattern
        value={pattern}
        onChange={(event) => onChange({ pattern: event.target.value })}
        className={`${field} font-mono`}
      />
      <Button variant="ask" disabled={busy || pattern.trim() === ""} data-allow-similar onClick={onAllow}>
        {t("permission.allowSimilar", {
          pattern: pattern.trim(),
          scope: t(`permissionScope.${similarScope(scope)}`),
        })}
      </Button>
      <label htmlFor={`${id}-reason`} className="sr-only">
        {t("permission.reason")}
      </label>
      <input
        id={`${id}-reason`}
        data-reason
        value={reason}
        placeholder={t("permission.reason")}
        onChange={(event) => onChange({ reason: event.target.value })}
        className={field}
      />
    </div>
  );
}
