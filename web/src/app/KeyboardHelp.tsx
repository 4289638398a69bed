import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useIsPanelOpen } from "~/components/navigation";
import { Sheet } from "~/components/Sheet";

type ShortcutGroup = {
  id: "everywhere" | "run" | "inbox" | "task" | "list" | "canvas";
  /** `needs` selects the element that must be visible for the key to work. */
  keys: readonly [keys: string[], name: string, needs?: string][];
};

const MOD = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl";

const GROUPS: readonly ShortcutGroup[] = [
  {
    id: "everywhere",
    keys: [
      [[`${MOD} K`, "/"], "palette"],
      [["?"], "help"],
      [["Esc"], "close"],
    ],
  },
  {
    id: "run",
    keys: [
      [["g"], "next", "[data-next]"],
      [["[", "]"], "tabs"],
    ],
  },
  {
    id: "inbox",
    keys: [
      [["j", "k"], "move"],
      [["1", "…", "9"], "option"],
      [["⏎"], "write"],
      [["o"], "open"],
    ],
  },
  { id: "task", keys: [[["1", "…", "9"], "option"]] },
  {
    id: "list",
    keys: [
      [["↑", "↓"], "moveTask"],
      [["⏎"], "openTask"],
      [[`${MOD} F`], "searchList"],
    ],
  },
  {
    id: "canvas",
    keys: [
      [["←", "↑", "↓", "→"], "moveTask"],
      [["⏎"], "openTask"],
      [["+", "-", "0"], "zoom"],
      [[`${MOD} F`], "search"],
    ],
  },
];

/** The keyboard shortcuts that work in the current view. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { run } = useParams({ strict: false });
  const isPanel = useIsPanelOpen();
  const isShown = (selector: string) => document.querySelector(selector)?.checkVisibility() ?? false;
  const isAvailable: Record<ShortcutGroup["id"], boolean> = {
    everywhere: true,
    run: run !== undefined && !isPanel,
    inbox: !isPanel && isShown("[data-selected]"),
    task: isPanel && isShown("[role=dialog] [data-option]"),
    list: !isPanel && isShown("[data-list]"),
    canvas: !isPanel && isShown(".canvas"),
  };
  return (
    <Sheet title={t("shortcuts.title")} onClose={onClose}>
      <div className="flex flex-col gap-4 px-5 pb-5">
        {GROUPS.filter(({ id }) => isAvailable[id]).map(({ id, keys }) => (
          <section key={id}>
            <h3 className="mb-1.5 font-medium text-faint text-xs">{t(`keys.group.${id}`)}</h3>
            <dl className="grid grid-cols-[8rem_1fr] gap-x-4 gap-y-2">
              {keys
                .filter(([, , needs]) => needs === undefined || isShown(needs))
                .map(([keys, name]) => (
                  <div key={name} className="contents">
                    <dt className="flex gap-1">
                      {keys.map((key) => (
                        <kbd key={key} className="rounded border border-line bg-page px-1.5 py-0.5 text-ink">
                          {key}
                        </kbd>
                      ))}
                    </dt>
                    <dd>{t(`shortcuts.${name}`)}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
