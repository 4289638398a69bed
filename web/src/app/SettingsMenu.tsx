import { Menu } from "@base-ui/react/menu";
import { Check, Settings2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "~/components/toasts";
import { LANGUAGES, type Language, setLanguage } from "~/i18n/setup";
import { canNotify, notificationsAreOn, setNotificationsOn } from "./notificationSetting";
import { storedTheme, setTheme as storeTheme, type Theme } from "./theme";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** Menu for language, appearance and notifications. Opens when it is first rendered. */
export default function SettingsMenu({ className }: { className: string }) {
  const { t, i18n } = useTranslation();
  const [theme, setTheme] = useState(storedTheme);
  const [notifies, setNotifies] = useState(notificationsAreOn);
  const choose = async (on: boolean) => {
    const isOn = await setNotificationsOn(on);
    setNotifies(isOn);
    if (on) toast.done(t(isOn ? "settings.notifyOn" : "settings.notifyOff"));
  };
  const languages = Object.keys(LANGUAGES) as Language[];
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className={className} aria-label={t("nav.settings")} title={t("nav.settings")}>
        <Settings2 aria-hidden size={18} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="right" align="end" sideOffset={8} collisionPadding={8} className="z-40">
          <Menu.Popup className="min-w-48 rounded-xl border border-line bg-raise p-1 text-ink shadow-xl outline-none">
            <Menu.RadioGroup value={i18n.language} onValueChange={(language) => void setLanguage(language)}>
              <SettingTitle>{t("settings.language")}</SettingTitle>
              {languages.map((language) => (
                <SettingChoice key={language} value={language}>
                  <span lang={language}>{LANGUAGES[language]}</span>
                </SettingChoice>
              ))}
            </Menu.RadioGroup>
            <Menu.RadioGroup
              value={theme}
              onValueChange={(next) => {
                storeTheme(next);
                setTheme(next);
              }}
            >
              <SettingTitle>{t("settings.theme")}</SettingTitle>
              {THEMES.map((name) => (
                <SettingChoice key={name} value={name}>
                  {t(`settings.${name}`)}
                </SettingChoice>
              ))}
            </Menu.RadioGroup>
            {canNotify && (
              <>
                <Menu.Separator className="my-1 h-px bg-line" />
                <Menu.CheckboxItem
                  className="flex cursor-pointer items-center justify-between gap-4 rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page"
                  checked={notifies}
                  closeOnClick
                  onCheckedChange={(on) => void choose(on)}
                >
                  {t("settings.notify")}
                  <Menu.CheckboxItemIndicator>
                    <Check aria-hidden size={14} />
                  </Menu.CheckboxItemIndicator>
                </Menu.CheckboxItem>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function SettingTitle({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-2 pb-1 font-medium text-faint text-xs">{children}</p>;
}

function SettingChoice({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Menu.RadioItem
      value={value}
      closeOnClick
      className="flex cursor-pointer items-center justify-between rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-page"
    >
      {children}
      <Menu.RadioItemIndicator>
        <Check aria-hidden size={14} />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
