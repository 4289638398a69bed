import type { ReactNode } from "react";

type Props = {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  /** Whether there is nothing else on the page, so that the title is the heading of the page. */
  isPage?: boolean;
};

/** A message in place of the content of a view, e.g. that a list is empty and what to do. */
export function Notice({ title, children, icon, isPage = false }: Props) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-14 text-center text-soft">
      {icon}
      <Title className="font-semibold text-ink">{title}</Title>
      {children}
    </div>
  );
}
