import { useTranslation } from "react-i18next";
import { Sheet } from "~/components/Sheet";

const KEYS: readonly [keys: string[], words: string][] = [
  [["⌘K", "/"], "palette"],
  [["?"], "help"],
  [["g"], "next"],
  [["j", "k"], "move"],
  [["1", "…", "9"], "option"],
  [["⏎"], "enter"],
  [["o"], "open"],
  [["[", "]"], "tabs"],
  [["Esc"], "close"],
];

export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t("keys.title")} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2 px-5 pb-5">
        {KEYS.map(([keys, words]) => (
          <div key={words} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded border border-line bg-page px-1.5 py-0.5 text-ink">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{t(`keys.${words}`)}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
