import type { ReactNode } from "react";

type Props = { title: string; link?: ReactNode; children: ReactNode };

/** A titled box of the overview. */
export function OverviewSection({ title, link, children }: Props) {
  return (
    <section className="min-w-0 overflow-hidden rounded-xl border border-line bg-panel">
      <header className="flex items-baseline justify-between gap-3 px-4 py-2.5">
        <h3 className="font-semibold">{title}</h3>
        {link}
      </header>
      {children}
    </section>
  );
}
