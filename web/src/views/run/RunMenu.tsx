import { Menu } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunRow } from "~/api/generated";
import { cleanRun, landRun } from "~/api/runs";
import { wish } from "~/api/wishes";
import { Button } from "~/components/Button";
import { ConfirmSheet } from "~/components/ConfirmSheet";
import { toast } from "~/components/toasts";
import { toLanded } from "./toLanded";

const ITEM = "cursor-pointer rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page";

type Act = "land" | "clean" | "cancel";

/** What is done with a run as a whole now and then. Each says first what will happen. */
export function RunMenu({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Act | null>(null);
  const isOver = row.endedAt !== null;
  const acts: Act[] = isOver ? ["land", "clean"] : ["land", "clean", "cancel"];
  const close = () => setAsked(null);
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          render={<Button data-run-menu aria-label={t("action.more")} title={t("action.more")} />}
        >
          <Ellipsis aria-hidden size={15} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-50">
            <Menu.Popup className="min-w-52 rounded-xl border border-line bg-raise p-1 text-ink shadow-xl outline-none">
              {acts.map((act) => (
                <Menu.Item
                  key={act}
                  className={`${ITEM} ${act === "cancel" ? "text-fail" : ""}`}
                  onClick={() => setAsked(act)}
                >
                  {t(`runAct.${act}.name`)}…
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {asked && <Confirm run={row} act={asked} onClose={close} />}
    </>
  );
}

function Confirm({ run: { id, title }, act, onClose }: { run: RunRow; act: Act; onClose: () => void }) {
  const { t } = useTranslation();
  const [isAll, setIsAll] = useState(false);
  const acts: Record<Act, () => Promise<string | null>> = {
    land: async () => {
      const { key, values, isThere } = toLanded(await landRun(id, { isAll }), id);
      const words = t(`landed.${key}`, values);
      if (!isThere) return words;
      toast.done(words);
      return null;
    },
    clean: async () => {
      const { removed, left } = await cleanRun(id);
      const stay = left.map(([task, why]) => `${task}: ${why}`);
      toast.done(t("runAct.clean.removed", { count: removed.length }));
      return stay.length > 0 ? `${t("runAct.clean.stay")} ${stay.slice(0, 5).join("; ")}` : null;
    },
    cancel: async () => {
      await wish(id, "cancelRun");
      toast.done(t("runAct.cancel.done"));
      return null;
    },
  };
  return (
    <ConfirmSheet
      title={t(`runAct.${act}.title`, { title })}
      action={t(`runAct.${act}.name`)}
      look={act === "cancel" ? "danger" : "main"}
      act={acts[act]}
      onClose={onClose}
    >
      <p>{t(`runAct.${act}.what`)}</p>
      {act === "land" && (
        <label className="flex items-center gap-2 text-ink">
          <input type="checkbox" checked={isAll} onChange={(event) => setIsAll(event.target.checked)} />
          {t("runAct.land.all")}
        </label>
      )}
    </ConfirmSheet>
  );
}
