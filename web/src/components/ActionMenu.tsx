import { Menu } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { type UserAction, useActionStarter } from "./action";
import { Button } from "./Button";

const ITEM = "cursor-pointer rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page";

type Props = { actions: readonly UserAction[] } & Record<`data-${string}`, boolean>;

/** A menu of less frequent actions, grouped by `Action.group`. */
export function ActionMenu({ actions, ...rest }: Props) {
  const { t } = useTranslation();
  const { start, sheet } = useActionStarter();
  const groups = [...new Set(actions.map(({ group }) => group))];
  if (actions.length === 0) return sheet;
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<Button aria-label={t("action.more")} title={t("action.more")} {...rest} />}>
          <Ellipsis aria-hidden size={15} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-50">
            <Menu.Popup className="min-w-52 rounded-xl border border-line bg-raise p-1 text-ink shadow-xl outline-none">
              {groups.map((group, n) => (
                <Fragment key={group ?? ""}>
                  {group && <p className="px-2.5 pt-2 pb-1 font-medium text-faint text-xs">{group}</p>}
                  {!group && n > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
                  <ActionMenuItems
                    choices={actions.filter((action) => action.group === group)}
                    start={start}
                  />
                </Fragment>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {sheet}
    </>
  );
}

function ActionMenuItems({
  choices,
  start,
}: {
  choices: readonly UserAction[];
  start: (action: UserAction) => void;
}) {
  const selected = choices.find(({ isSelected }) => isSelected);
  if (!selected) {
    return choices.map((action) => (
      <Menu.Item
        key={action.id}
        className={`${ITEM} ${action.isDanger ? "text-fail" : ""}`}
        onClick={() => start(action)}
      >
        {action.name}
      </Menu.Item>
    ));
  }
  return (
    <Menu.RadioGroup value={selected.id}>
      {choices.map((action) => (
        <Menu.RadioItem
          key={action.id}
          value={action.id}
          closeOnClick
          className={ITEM}
          onClick={() => action !== selected && start(action)}
        >
          {action.name} {action === selected && "✓"}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
