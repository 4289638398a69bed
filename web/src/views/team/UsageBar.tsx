/** A bar whose filled part is a share from 0 to 1. The number is beside it, so it is hidden from screen readers. */
export function UsageBar({ share }: { share: number }) {
  return (
    <span aria-hidden className="my-1.5 block h-1.5 overflow-hidden rounded-full bg-line">
      <i className="block h-full rounded-full bg-ink" style={{ width: `${share * 100}%` }} />
    </span>
  );
}
