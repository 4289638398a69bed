import type { Virtualizer } from "@tanstack/react-virtual";
import type { LiHTMLAttributes, ReactNode } from "react";

type Props<T, S extends Element> = {
  virtualizer: Virtualizer<S, Element>;
  items: readonly T[];
  itemProps?: (item: T) => LiHTMLAttributes<HTMLLIElement> & { [data: `data-${string}`]: string };
  children: (item: T) => ReactNode;
};

/** The visible items of a long list. The surrounding list element must have the height of all items. */
export function VirtualList<T, S extends Element>({ virtualizer, items, itemProps, children }: Props<T, S>) {
  return virtualizer.getVirtualItems().map(({ index, key, start }) => {
    const item = items[index];
    return (
      item !== undefined && (
        <li
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          aria-setsize={items.length}
          aria-posinset={index + 1}
          className="absolute inset-x-0"
          style={{ top: start - virtualizer.options.scrollMargin }}
          {...itemProps?.(item)}
        >
          {children(item)}
        </li>
      )
    );
  });
}
