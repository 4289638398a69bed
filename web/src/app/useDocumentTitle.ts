/** Shows the open run and the number of items that need the user in the title of the browser tab, the number also in its icon. */

import { useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useInbox, useRow, useRows } from "~/api/hooks";

export function useDocumentTitle(): void {
  const { run, task } = useParams({ strict: false });
  const runTitle = useRows(run ?? "", "run", run !== undefined).data?.["run"]?.title;
  const taskTitle = useRow(run ?? "", "task", run === undefined ? undefined : task)?.title;
  const title = [task && taskTitle && `${task} ${taskTitle}`, runTitle].filter(Boolean).join(" · ");
  const n = useInbox().data?.length ?? 0;
  useEffect(() => {
    const name = title ? `${title} · Jangdan` : "Jangdan";
    document.title = n > 0 ? `(${n}) ${name}` : name;
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = n > 0 ? iconWithCount(n) : "/favicon.svg";
  }, [n, title]);
}

function iconWithCount(n: number): string {
  const label = n > 9 ? "9+" : String(n);
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b36b00"/><text x="16" y="23" font-family="sans-serif" font-weight="700" font-size="19" text-anchor="middle" fill="#fff">${label}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
