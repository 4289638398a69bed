import type { ReactNode } from "react";

type Props = {
  isChecked: boolean;
  isDisabled?: boolean;
  onChange: (isChecked: boolean) => void;
  children: ReactNode;
};

/** A checkbox with its label. */
export function Checkbox({ isChecked, isDisabled = false, onChange, children }: Props) {
  return (
    <label className={`flex items-center gap-2 ${isDisabled ? "text-soft" : ""}`}>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}
