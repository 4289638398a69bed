import type { ButtonHTMLAttributes, ReactNode } from "react";

type ButtonVariant = "plain" | "main" | "approve" | "quiet" | "ask" | "danger";

const VARIANT_CLASSES: Record<ButtonVariant, string> = {
  plain: "border-line bg-raise hover:border-faint",
  main: "border-accent bg-accent text-accent-ink hover:opacity-90",
  approve: "border-done bg-done text-accent-ink hover:opacity-90",
  quiet: "border-transparent text-soft hover:bg-page hover:text-ink",
  ask: "border-ask-line bg-panel hover:border-ask",
  danger: "border-line bg-raise text-fail hover:border-fail",
};

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { variant?: ButtonVariant; icon?: ReactNode };

export function Button({
  variant = "plain",
  icon,
  className = "",
  children,
  type = "button",
  ...rest
}: Props) {
  return (
    <button
      type={type}
      className={`inline-flex min-h-8 items-center gap-1.5 rounded-lg border px-2.5 py-1 text-left font-medium transition-colors disabled:opacity-50 max-md:min-h-10 ${VARIANT_CLASSES[variant]} ${className}`}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

/** A button with an icon only; its label is for tooltips and screen readers. */
export function IconButton({ label, children, className = "", ...rest }: Props & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-grid size-8 shrink-0 place-items-center rounded-lg text-soft transition-colors hover:bg-page hover:text-ink max-md:size-10 ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}
