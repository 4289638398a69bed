import { useTranslation } from "react-i18next";
import { useOpenTask } from "~/components/navigation";
import { usedCostText, usedTokensText } from "~/components/usage";
import { type CostShare, shareOfLargest } from "./toAgents";
import { UsageBar } from "./UsageBar";

type Props = {
  title: string;
  shares: readonly CostShare[];
  /** Whether the keys are ids of tasks, which open with a click. */
  areTasks?: boolean;
};

/** What the parts of a run cost, as bars. */
export function CostShares({ title, shares, areTasks = false }: Props) {
  const { t } = useTranslation();
  const openTask = useOpenTask();
  const all = shares.map(({ used }) => used);
  return (
    <section className="min-w-0 rounded-xl border border-line bg-panel px-4 py-3">
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {shares.length === 0 && <p className="text-soft">{t("team.noUsage")}</p>}
      <ul className="flex flex-col gap-1">
        {shares.map(({ key, name, used, budgets }) => (
          <li key={key} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3">
            {areTasks ? (
              <button
                type="button"
                className="truncate rounded text-left hover:underline max-md:min-h-11"
                onClick={() => openTask(key)}
              >
                {name}
              </button>
            ) : (
              <span className="truncate">{name || t("team.unknownModel")}</span>
            )}
            <span className="whitespace-nowrap text-right tabular-nums">
              <b className="font-semibold">{usedCostText(t, used)}</b>{" "}
              <span className="text-soft text-xs">
                {used.tokens > 0 && t("team.tokens", { n: usedTokensText(t, used) })}
                {budgets.length > 0 && ` · ${t("team.budget", { budget: budgets.join(", ") })}`}
              </span>
            </span>
            <span className="col-span-2">
              <UsageBar share={shareOfLargest(used, all)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
