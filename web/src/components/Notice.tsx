import type { ReactNode } from "react";

/** A message in place of the content of a view, e.g. that a list is empty and what to do. */
export function Notice({ title, children, icon }: { title: string; children?: ReactNode; icon?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-14 text-center text-soft">
      {icon}
      <p className="font-semibold text-ink">{title}</p>
      {children}
    </div>
  );
}
