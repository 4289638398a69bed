import type { Virtualizer } from "@tanstack/react-virtual";
import type { LiHTMLAttributes, ReactNode } from "react";

type Props<T, S extends Element> = {
  shown: Virtualizer<S, Element>;
  items: readonly T[];
  /** What else a line is to have. */
  line?: (item: T) => LiHTMLAttributes<HTMLLIElement> & { [data: `data-${string}`]: string };
  children: (item: T) => ReactNode;
};

/** The lines of a long list that are in sight, each in its place; the list around them is as high as all of them. */
export function InSight<T, S extends Element>({ shown, items, line, children }: Props<T, S>) {
  return shown.getVirtualItems().map(({ index, key, start }) => {
    const item = items[index];
    return (
      item !== undefined && (
        <li
          key={key}
          ref={shown.measureElement}
          data-index={index}
          aria-setsize={items.length}
          aria-posinset={index + 1}
          className="absolute inset-x-0"
          style={{ top: start - shown.options.scrollMargin }}
          {...line?.(item)}
        >
          {children(item)}
        </li>
      )
    );
  });
}
